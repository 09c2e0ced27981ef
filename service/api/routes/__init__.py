"""The endpoints of the API: `queries` about a snapshot, `admin` of corpora and runs, and `writes`."""

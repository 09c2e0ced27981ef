"""The paths of the API, by what they are for: `queries` of a snapshot, `admin` of corpora and runs, `writes`."""

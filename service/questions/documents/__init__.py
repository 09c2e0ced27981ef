"""Documents: those behind a query, one, and those like it. Entry point: `documents.documents`."""

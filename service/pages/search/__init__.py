"""The search page: a query's groups and documents."""

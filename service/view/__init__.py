"""One version made searchable: names, autocomplete, edits applied, documents. Entry point: `view.make_view`."""

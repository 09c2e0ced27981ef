"""Tag clouds: candidates, groups, names, the first page, facets. Entry points: `cloud.cloud`, `overview.overview`."""

"""The map: all documents as points. Entry points: `page.points_page`, and `points.add_rules` for its script."""

"""What time tells: which tags and concepts rise and fall, and feeds of new documents. Entry point: `trends.trends`."""

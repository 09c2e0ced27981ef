"""What operators watch and decide, as records in the store: runs, heartbeats, pauses, pins, notices."""

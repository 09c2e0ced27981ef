"""What is asked of a version: pure functions of a `View`. No HTTP, no store, no clock."""

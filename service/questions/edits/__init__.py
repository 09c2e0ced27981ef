"""What editors decide: proposals, the edits in force, and what a change would do."""

"""One goal: its frozen intent, its plans and work, what happened to them and what is owed next."""

"""harnd as a service of the user's systemd: its units, the program that manages them, and how the two stand."""

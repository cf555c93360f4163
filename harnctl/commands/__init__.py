"""The verbs, one file a noun.  Each asks the daemon one thing, hands the reply to a renderer, and decides nothing."""

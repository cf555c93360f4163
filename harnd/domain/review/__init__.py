"""Review: the exact contract between harnd and whoever reviews for it."""

"""What a person sees: sanitised text, cells, tables and one renderer per noun.  Pure: nothing here prints or asks."""

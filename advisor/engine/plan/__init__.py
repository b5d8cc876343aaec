"""One consistent set of changes: the fragment of a rebuild, or a boot line."""

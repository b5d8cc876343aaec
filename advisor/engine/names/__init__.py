"""What the name of a symbol is to a kernel: there, stale, removed, renamed, lost."""

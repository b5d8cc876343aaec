"""A kernel tree: its files, its Kconfig, its own tools, and what lines would make of it."""

"""The drivers of a kernel tree: what makefiles build them from, and the devices of their tables."""

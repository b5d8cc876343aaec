"""Readers of what the user gives; with knowledge/, the only modules that touch the disk."""

"""Rules, profiles, parameters and names: read, checked, indexed."""

"""Whether a setting is as advice wants it, for one profile or several at once."""

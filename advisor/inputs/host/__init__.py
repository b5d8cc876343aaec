"""A host: a machine as it runs, or as its files stand in a folder. Read once, into a Subject."""

"""The command line: words in, exit code out; one module a command."""

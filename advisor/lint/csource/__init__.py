"""The C source of a kernel, as far as it registers boot parameters."""

"""What a kernel is really set to: the effective state of each tunable, and its causes."""

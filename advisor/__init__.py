"""kernel-advisor: what a kernel is set to do, what a workload wants, the smallest change."""

__version__ = "1.0.0"

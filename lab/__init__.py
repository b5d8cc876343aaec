"""The lab: what a setting costs, in kernel instructions that qemu counts (docs/evidence/lab.md)."""

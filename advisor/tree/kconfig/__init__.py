"""The Kconfig language, as each release of the kernel reads it: Kconfiglib, and what it lacks."""

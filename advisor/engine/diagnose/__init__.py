"""Problems of the inputs themselves, which need no profile."""

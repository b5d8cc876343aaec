"""What a host's files say of its next boot: the boot loader's entry, and what writes settings."""

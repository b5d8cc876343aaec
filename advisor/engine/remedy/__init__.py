"""What changes a setting: remedies, tried on a copy of the subject, and what they need."""

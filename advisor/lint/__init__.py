"""What authors of rules run: the rules against themselves, and against kernel trees."""

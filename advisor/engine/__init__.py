"""State, judgement, plan: pure functions from a subject and the knowledge to a report."""

"""The arena: a submission is data and is never imported."""

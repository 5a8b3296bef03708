"""The course's own calls, and advice for its scripts."""

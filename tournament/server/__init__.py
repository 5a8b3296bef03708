"""Hand-in over the network: pages for students and the teacher, and submit.py --to."""

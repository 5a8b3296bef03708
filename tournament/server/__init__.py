"""Hand-in over the network: what students and the teacher do in a browser, and submit.py --to."""

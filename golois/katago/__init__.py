"""KataGo's networks: their files, mathematics, inputs and answers; knows no framework."""

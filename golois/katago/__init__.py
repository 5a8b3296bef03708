"""KataGo's networks: their files, their mathematics and their answers; knows no framework."""

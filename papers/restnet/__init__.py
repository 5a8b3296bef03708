"""What only the ResTNet paper needs: adversaries that follow a script (README.md)."""

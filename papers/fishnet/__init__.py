"""FishNet, which learns Go by TD(λ) with an Internal Symmetry Network (README.md)."""

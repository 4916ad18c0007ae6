"""What somebody who is citing sees (SPEC C8)."""

"""What a person does to a reference: edit, vouch, choose (SPEC C5)."""

"""The pages of references: list, single reference, import and export, panel beside a section."""

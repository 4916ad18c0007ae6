"""The text of a thesis: sections, versions, snapshots, comments and files."""

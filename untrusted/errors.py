"""The error for bytes that cannot be read as what they claim to be."""


class Unreadable(Exception):
    """A file whose content cannot be read. The message is a sentence for the user."""

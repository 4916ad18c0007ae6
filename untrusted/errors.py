"""What is said of bytes that cannot be read as what they claim to be."""


class Unreadable(Exception):
    """A file whose content cannot be had. The message is a sentence for the person who brought it."""

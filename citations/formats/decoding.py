"""Bytes and texts of reference files, as their readers take them."""


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Western European as older programs write it.

    UTF-16 without a mark is told by its zeros: every other byte of what is mostly ASCII.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    head = data[:2_000]
    for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
        if len(head) > 3 and zeros.count(0) > 0.9 * len(zeros) and head.count(0) < 0.6 * len(head):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def cleaned(text: str) -> str:
    """`text` without what no database keeps."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode().removeprefix("\ufeff")

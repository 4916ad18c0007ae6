"""Reading a body without letting it grow: size counted as it comes, compressed or not (SPEC R18)."""

import zlib
from collections.abc import AsyncIterable, Iterator

_PIECE = 65_536
ACCEPTED = "gzip, deflate"  # what we can unpack piece by piece
_PACKED = ("gzip", "x-gzip", "deflate")


class TooLarge(Exception):
    """More bytes than the limit, as sent or unpacked."""


class Unpackable(Exception):
    """A content encoding that was not asked for, or one that is damaged."""


async def read_body(raw: AsyncIterable[bytes], encoding: str, limit: int) -> bytes:
    """The body of at most `limit` bytes, unpacked.

    Raises TooLarge as soon as the limit is passed, before anything larger is held, and Unpackable.
    """
    named = encoding.strip().lower()
    if named not in {"", "identity", *_PACKED}:  # packed twice is the shape of a bomb, and the rest was never asked for
        raise Unpackable
    unpacker = _Zlib() if named in _PACKED else None
    parts: list[bytes] = []
    sent = size = 0
    async for chunk in raw:
        sent += len(chunk)
        if sent > limit:
            raise TooLarge
        for part in unpacker.feed(chunk) if unpacker else [chunk]:
            size += len(part)
            if size > limit:
                raise TooLarge
            parts.append(part)
    if unpacker and not unpacker.is_complete:
        raise Unpackable
    return b"".join(parts)


class _Zlib:
    """gzip and deflate, also deflate without its header, in pieces of bounded size."""

    def __init__(self) -> None:
        self.machine = zlib.decompressobj(47)
        self.has_begun = False

    @property
    def is_complete(self) -> bool:
        return self.machine.eof or not self.has_begun

    def feed(self, data: bytes) -> Iterator[bytes]:
        while True:
            part = self._piece(data)
            yield part
            data = self.machine.unconsumed_tail
            if self.machine.eof:
                data = self.machine.unused_data
                if not data.startswith(b"\x1f\x8b"):
                    return  # what follows the end is padding
                self.machine = zlib.decompressobj(31)
            elif not data and len(part) < _PIECE:
                return

    def _piece(self, data: bytes) -> bytes:
        try:
            part = self.machine.decompress(data, _PIECE)
        except zlib.error as error:
            if self.has_begun:
                raise Unpackable from error
            self.machine, self.has_begun = zlib.decompressobj(-15), True
            return self._piece(data)
        self.has_begun = True
        return part

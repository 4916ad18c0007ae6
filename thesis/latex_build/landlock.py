"""A sandbox by Landlock (Linux): limits which files this process and its children can use, and cuts off the network.

TeX has its own setting that keeps it in its folder; Landlock also limits the programs that ignore that setting. biber
evaluates parts of the files it reads as Perl, so it runs only in this sandbox (docs/decisions/latex-build.md).
"""

import ctypes
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_CREATE, _ADD, _RESTRICT = 444, 445, 446  # system calls, the same numbers on every architecture that Python runs on
_VERSION = 1  # flag of _CREATE: return the version that this kernel supports
_BENEATH = 1  # a rule about a path and what is beneath it
_NO_NEW_PRIVILEGES = 38
_NEW_NET, _NEW_USER = 0x40000000, 0x10000000

_EXECUTE, _WRITE, _READ, _LIST = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_OF_A_FILE = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many access rights there are, by version
_TCP, _SCOPES = 0b11, 0b11  # no TCP connect or bind; no signals to, and no abstract sockets of, outside processes
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random")


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"
    _fields_ = (("allowed", ctypes.c_uint64), ("fd", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that this kernel supports; 0 when it has none."""
    try:
        said = ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except (OSError, AttributeError, TypeError):  # no Linux
        return 0
    return max(int(said), 0)


def restrict(read: Iterable[Path], write: Iterable[Path]) -> bool:
    """Restrict this process: read and run only files below `read`, write only below `write`, use no network.

    Returns False, with nothing restricted, when the kernel cannot do it.
    """
    has = version()
    if not has:
        return False
    libc = ctypes.CDLL(None, use_errno=True)
    rights = (1 << _RIGHTS.get(has, 16)) - 1
    ruleset = _Ruleset(rights, _TCP if has >= 4 else 0, _SCOPES if has >= 6 else 0)
    size = 8 if has < 4 else 16 if has < 6 else 24
    rules = libc.syscall(_CREATE, ctypes.byref(ruleset), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if rules < 0:
        return False
    allowed = [
        *((path, rights & (_EXECUTE | _READ | _LIST)) for path in read),
        *((Path(path), rights & (_READ | _WRITE | _IOCTL)) for path in _DEVICES),
        *((path, rights) for path in write),
    ]
    for path, what in allowed:
        with suppress(FileNotFoundError):
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = _Beneath(what if path.is_dir() else what & _OF_A_FILE, fd)
            libc.syscall(_ADD, rules, _BENEATH, ctypes.byref(rule), ctypes.c_uint32(0))
            os.close(fd)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    held = bool(libc.syscall(_RESTRICT, rules, ctypes.c_uint32(0)) == 0)
    os.close(rules)
    return held


def leave_network() -> bool:
    """Move this process into an empty network namespace. Returns False when it has no permission for that."""
    try:
        libc = ctypes.CDLL(None)
        return bool(libc.unshare(_NEW_NET) == 0 or libc.unshare(_NEW_USER | _NEW_NET) == 0)
    except (OSError, AttributeError):
        return False

"""Runs a program for which io_uring_setup(2) fails with EPERM, as container runtimes have it."""

import ctypes
import os
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
IO_URING_SETUP, EPERM = 425, 1
LOAD_WORD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000

program = b"".join(
    struct.pack("HBBI", *instruction)
    for instruction in [
        (LOAD_WORD, 0, 0, 0),  # the number of the call
        (JUMP_IF_EQUAL, 0, 1, IO_URING_SETUP),
        (RETURN, 0, 0, ERRNO | EPERM),
        (RETURN, 0, 0, ALLOW),
    ]
)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


libc = ctypes.CDLL(None, use_errno=True)
libc.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
bound = Filter(len(program) // 8, program)
for arguments in [
    (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
    (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(bound), 0, 0),
]:
    if libc.prctl(*arguments) != 0:
        sys.exit("prctl: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])

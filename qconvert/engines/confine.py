"""The program that starts an engine: it gives up rights, then replaces itself by the engine.

It is run by its path, without the package::

    python confine.py MEMORY_BYTES CPU_SECONDS FILE_BYTES OPEN_FILES FOLDER PROGRAM ARGUMENT...
    python confine.py MEMORY_BYTES CPU_SECONDS FILE_BYTES OPEN_FILES FOLDER -m MODULE ARGUMENT...
    python confine.py MEMORY_BYTES CPU_SECONDS FILE_BYTES OPEN_FILES FOLDER --report

Both have limits and no network. PROGRAM can write in FOLDER only, and writes its standard output to standard error.
MODULE calls :func:`write_only_below` itself after it has imported the runtime, because Python writes compiled files
beside the modules. The kernel may refuse a restriction: ``--report`` prints which, for ``qconvert engines``.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time

if sys.platform != "win32":
    import resource

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_NO_NEW_PRIVILEGES = 38

# Landlock's system calls have the same numbers on all usual processors
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1
_WRITE_FILE, _REFER, _TRUNCATE = 1 << 1, 1 << 13, 1 << 14
_CHANGE_FOLDERS = 0b1_1111_1111 << 4
"""Landlock's access rights 4 to 12: remove and make files, folders, links, pipes, sockets and devices."""


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent", ctypes.c_int32))


def limit(memory: int, cpu: int, file: int, files: int) -> None:
    """Limit this process and those that it starts, if the platform can."""
    if sys.platform == "win32":
        return
    for kind, bound in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file),
        (resource.RLIMIT_NOFILE, files),
        (resource.RLIMIT_CORE, 0),
    ):
        _set(kind, bound, bound)
    allow_processor_time(cpu)


def allow_processor_time(seconds: int) -> None:
    """Limit the processor time that this process may use from now on, if the platform can."""
    if sys.platform != "win32":
        _set(resource.RLIMIT_CPU, int(time.process_time()) + 1 + seconds, resource.RLIM_INFINITY)


def _set(kind: int, soft: int, hard: int) -> None:
    """Set a limit, unless this process was started with a lower limit."""
    highest = resource.getrlimit(kind)[1]
    bounds = [highest if bound == resource.RLIM_INFINITY else bound for bound in (soft, hard)]
    if highest != resource.RLIM_INFINITY:
        bounds = [min(bound, highest) for bound in bounds]
    try:
        resource.setrlimit(kind, (bounds[0], bounds[1]))
    except (ValueError, OSError):  # macOS has no limit on address space
        return


def leave_network() -> str:
    """Move this process into a network without interfaces; return the reason if the kernel refuses, else ''.

    Only root may do this directly. Other users first become root of a new user namespace, which does not change their
    access to files and needs a process with a single thread.
    """
    if sys.platform != "linux":
        return "only Linux can"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK) == 0 or libc.unshare(_NEW_USER | _NEW_NETWORK) == 0:
        return ""
    return os.strerror(ctypes.get_errno())


def write_only_below(folder: str) -> str:
    """Forbid this thread and its children to change files outside a folder; return the reason if that fails, else ''.

    Landlock does this, from Linux 5.13 on. ``/dev/null`` stays writable.
    """
    if sys.platform != "linux":
        return "only Linux can"
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return os.strerror(ctypes.get_errno())
    on_files = _WRITE_FILE | (_TRUNCATE if version > 2 else 0)
    everything = on_files | _CHANGE_FOLDERS | (_REFER if version > 1 else 0)
    handled = ctypes.c_uint64(everything)
    rules = libc.syscall(_CREATE_RULESET, ctypes.byref(handled), ctypes.sizeof(handled), 0)
    _allow(libc, rules, folder, everything)
    _allow(libc, rules, os.devnull, on_files)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    failed = libc.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)
    return os.strerror(ctypes.get_errno()) if failed else ""


def _allow(libc: ctypes.CDLL, rules: int, path: str, access: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    beneath = _Beneath(access, parent)
    libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.byref(beneath), 0)
    os.close(parent)


def report(folder: str) -> None:
    """Write each restriction that the kernel refuses to standard error, one a line."""
    refusals = {
        "they can reach the network": leave_network(),
        "they can write files outside their temporary folder": write_only_below(folder),
    }
    sys.stderr.writelines(f"{what} ({refused})\n" for what, refused in refusals.items() if refused)


def main(memory: str, cpu: str, file: str, files: str, folder: str, *command: str) -> None:
    """Limit this process and become the command."""
    limit(int(memory), int(cpu), int(file), int(files))
    if command[0] == "--report":
        report(folder)
        return
    leave_network()
    if command[0] == "-m":
        import runpy  # programs start in half the time without it

        sys.argv = list(command[1:])
        runpy.run_module(command[1], run_name="__main__", alter_sys=True)
    else:
        write_only_below(folder)
        os.dup2(2, 1)
        os.execv(command[0], command)


if __name__ == "__main__":
    main(*sys.argv[1:])

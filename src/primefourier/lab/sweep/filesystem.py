"""Whether a folder is on a network file system, where SQLite's write-ahead log does not work."""

from __future__ import annotations

from pathlib import Path

_MOUNTS = Path("/proc/self/mounts")
_NETWORK = (
    "nfs",
    "cifs",
    "smb",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "afs",
    "fuse",
    "9p",
    "glusterfs",
)


def is_on_network(folder: Path) -> bool:
    """Tell whether a folder lies on a network file system, as far as the system tells."""
    if not _MOUNTS.is_file():
        return False
    return kind_of_mount(folder, _MOUNTS.read_text()).startswith(_NETWORK)


def kind_of_mount(folder: Path, mounts: str) -> str:
    r"""Return the file system type of the mount a folder is under.

    >>> kind_of_mount(Path("/home/a"), "disk / ext4 rw 0 0\nserver:/h /home nfs4 rw 0 0")
    'nfs4'
    """
    place, best, kind = folder.resolve(), -1, ""
    for line in mounts.splitlines():
        _, point, found, *_ = line.split()
        mount = Path(point.replace("\\040", " "))
        if (place == mount or mount in place.parents) and len(mount.parts) >= best:
            best, kind = len(mount.parts), found
    return kind

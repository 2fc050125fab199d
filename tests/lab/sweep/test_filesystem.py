from pathlib import Path

import pytest

from primefourier.lab.sweep.filesystem import is_on_network, kind_of_mount

MOUNTS = """\
/dev/vda / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
tmpfs /home/local tmpfs rw 0 0
share /mnt/my\\040share cifs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var", "ext4"),
        ("/home/a/b", "nfs4"),
        ("/home", "nfs4"),
        ("/homes", "ext4"),
        ("/home/local/x", "tmpfs"),
        ("/mnt/my share/x", "cifs"),
    ],
)
def test_the_innermost_mount_decides(folder: str, kind: str) -> None:
    assert kind_of_mount(Path(folder), MOUNTS) == kind


def test_a_temporary_folder_is_not_on_a_network(tmp_path: Path) -> None:
    assert not is_on_network(tmp_path)

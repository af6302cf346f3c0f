"""Firefox's compressed backups (`bookmarks-….jsonlz4`): a mark, the size inside, one LZ4 block."""

import lz4.block

from taxonomy.core.bookmarks.types import MAX_BYTES, BookmarkFileError

MAGIC = b"mozLz40\0"
_SIZE = slice(len(MAGIC), len(MAGIC) + 4)


def unpacked(data: bytes) -> bytes:
    """The JSON inside. Room is made for the size that is told, so that is looked at first."""
    size = int.from_bytes(data[_SIZE], "little")
    if size > MAX_BYTES:
        raise BookmarkFileError(
            f"Unpacked, this Firefox backup is larger than {MAX_BYTES // 1024**2} MB. "
            "Export only the folders you need as HTML."
        )
    try:
        inside: bytes = lz4.block.decompress(data[_SIZE.stop :], uncompressed_size=size)
    except (lz4.block.LZ4BlockError, ValueError):
        raise BookmarkFileError(
            "This compressed Firefox backup is damaged or incomplete. In Firefox open the bookmark "
            "library and choose Import and Backup, Export Bookmarks to HTML, and use that file."
        ) from None
    return inside

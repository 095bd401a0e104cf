"""Where a crawl is kept: any file system that Arrow and Spark both reach.

A name that no manifest has does not exist. So files are written under names that nobody else uses,
and the manifest of a round, written last and once, is what commits them.
"""

import json
import os
import shutil
import tempfile
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

ROUNDS = "_weir/rounds"
CRAWL = "_weir/crawl.json"
DRIVER = "_weir/driver.json"
# Spark's names for what Arrow knows by another one.
SCHEMES = {"s3a": "s3", "s3n": "s3"}


class OutError(OSError):
    """What is at --out cannot be used; the message says why."""


class Out:
    """The folder of a crawl. It can be sent to executors."""

    def __init__(self, uri: str):
        self.uri = uri if "://" in uri else "file://" + os.path.abspath(uri)
        self.uri = self.uri.rstrip("/")
        self._open()

    def _open(self):
        scheme = urlsplit(self.uri).scheme
        arrow = self.uri.replace(scheme, SCHEMES.get(scheme, scheme), 1)
        try:
            self.system, self.root = fs.FileSystem.from_uri(arrow)
        except (OSError, ValueError, pa.ArrowException) as why:
            raise OutError(f"cannot use --out {self.uri}: {why}") from None
        self.is_local = isinstance(self.system, fs.LocalFileSystem)

    def __getstate__(self):
        return {"uri": self.uri}

    def __setstate__(self, state):
        self.uri = state["uri"]
        self._open()

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def spark(self, name: str) -> str:
        """As Spark calls it."""
        return f"{self.uri}/{name}"

    def put(self, local: str, name: str) -> None:
        """Copies a file here. When this returns it is there for good."""
        path = self.path(name)
        self.system.create_dir(os.path.dirname(path), recursive=True)
        if self.is_local:
            _move(local, path)
        else:
            with open(local, "rb") as source, self.system.open_output_stream(path) as target:
                shutil.copyfileobj(source, target, 1 << 20)
            os.unlink(local)

    def write(self, name: str, data: bytes) -> None:
        """All of it is there, or nothing."""
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(data)
        self.put(file.name, name)

    def read(self, name: str):
        """None if it is not there."""
        try:
            with self.system.open_input_stream(self.path(name)) as file:
                return file.read()
        except FileNotFoundError:
            return None

    def read_json(self, name: str):
        data = self.read(name)
        if data is None:
            return None
        try:
            return json.loads(data)
        except ValueError as why:
            raise OutError(f"{self.spark(name)} is damaged: {why}") from None

    def write_json(self, name: str, value) -> None:
        self.write(name, json.dumps(value, separators=(",", ":")).encode())

    def names(self, folder: str, deep: bool = False) -> list:
        """Of the files in a folder, sorted."""
        found = self.system.get_file_info(fs.FileSelector(self.path(folder), recursive=deep, allow_not_found=True))
        names = (info.path for info in found if info.type == fs.FileType.File)
        return sorted(os.path.relpath(path, self.root) for path in names)

    def bytes_of(self, names: list) -> int:
        """Of all these files together."""
        return sum(info.size or 0 for info in self.system.get_file_info([self.path(name) for name in names]))

    def delete(self, name: str) -> None:
        try:
            self.system.delete_file(self.path(name))
        except FileNotFoundError:
            pass


def _move(local: str, path: str) -> None:
    """A rename where that is possible, and on the disk in any case before anybody is told of it."""
    with open(local, "rb") as file:
        os.fsync(file.fileno())
    try:
        os.replace(local, path)
    except OSError:
        part = path + ".part"
        shutil.copyfile(local, part)
        with open(part, "rb") as file:
            os.fsync(file.fileno())
        os.replace(part, path)
        os.unlink(local)
    _sync_folder(os.path.dirname(path))


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""What is to be crawled, and how far tasks run ahead: weir.toml, and what was said beside it."""

import os
from dataclasses import dataclass, field, replace

from webweir import _webweir


class SettingsError(ValueError):
    """The command line or weir.toml is wrong; the message says what to do."""


# How far a task runs ahead in a first round in which the others have nothing to do.
FIRST_PAGES, FIRST_SECONDS = 500, 2.0


@dataclass(frozen=True)
class Ahead:
    """How far a task runs ahead of the barrier of its round, inside its own hosts."""

    pages: int = 20_000
    seconds: float = 120.0
    bytes: int = 4_000_000_000

    def sooner(self, times: int) -> "Ahead":
        """The first bounds, as often as that, unless its own are narrower."""
        return replace(self, pages=min(self.pages, FIRST_PAGES * times), seconds=min(self.seconds, FIRST_SECONDS * times))

    def __post_init__(self):
        for name in ("pages", "seconds", "bytes"):
            if not getattr(self, name) > 0:
                raise SettingsError(f"ahead-{name} is {getattr(self, name)}: write a number above 0")


@dataclass(frozen=True)
class Settings:
    """Of one crawl, checked."""

    settings: str
    roots: bytes | None
    seeds: list
    sitemaps: list
    depth: int | None
    max_pages: int | None
    max_bytes: int | None
    limit: object
    freshness: float | None = None
    notices: list = field(default_factory=list)


def prepare(config=None, comes_back=False, **flags) -> Settings:
    """`config` is the path of a weir.toml, or the settings themselves as a dict; flags go before it.

    Who comes back to a crawl may have a budget for that.
    """
    text, path = "", ""
    if isinstance(config, dict):
        text, path = to_toml(config), "the settings"
    elif config is not None:
        path = os.fspath(config)
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        except OSError as why:
            raise SettingsError(f"cannot read {path}: {why.strerror}; name a weir.toml with -c") from why
        except UnicodeDecodeError as why:
            raise SettingsError(f"cannot read {path}: byte {why.start} is no UTF-8; save it as UTF-8") from why
    try:
        prepared = _webweir.prepare(text, path, to_toml(flags), comes_back)
    except ValueError as why:
        raise SettingsError(str(why)) from None
    names = Settings.__dataclass_fields__
    return Settings(**{name: value for name, value in prepared.items() if name in names})


def to_toml(values: dict) -> str:
    """A flat dict as TOML; what is None is left out."""
    lines = [f"{name.replace('_', '-')} = {_value(name, value)}" for name, value in values.items() if value is not None]
    return "\n".join(lines)


def _value(name, value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_value(name, item) for item in value) + "]"
    if isinstance(value, (str, os.PathLike)):
        return _quoted(os.fspath(value))
    raise SettingsError(f"{name} is {value!r}: write a text, a number, true or false, or a list of them; what has parts goes into a weir.toml")


def _quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    plain = (escapes.get(char, char if char >= " " and char != "\x7f" else f"\\u{ord(char):04x}") for char in text)
    return '"' + "".join(plain) + '"'

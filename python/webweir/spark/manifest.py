"""What is known of a crawl between two rounds. A round happened when its manifest is there."""

from dataclasses import asdict, dataclass, field

from webweir.spark.out import CRAWL, ROUNDS, Out, OutError

VERSION = 1


@dataclass
class Bucket:
    """One bucket after some round."""

    chunks: list = field(default_factory=list)
    waiting: int = 0
    next_due_ms: int | None = None
    totals: dict = field(default_factory=dict)
    # Files of each table, over all rounds.
    files: dict = field(default_factory=dict)


@dataclass
class Recrawl:
    """Of the last time that somebody came back, and `first_ms`, when that was for the first time."""

    began_ms: int
    first_ms: int
    # Bytes that might be used, if somebody said so, and those that had come before.
    budget: float | None = None
    bytes_before: int = 0
    chosen: int = 0
    left_out: int = 0
    # Pages that were visited since, beside the last time.
    unchanged: int = 0
    changed: int = 0
    new: int = 0

    def take(self, came: dict) -> None:
        for name, count in came.items():
            setattr(self, name, getattr(self, name) + count)


@dataclass
class Manifest:
    """After round `round`; before the first one it is -1."""

    round: int = -1
    buckets: dict = field(default_factory=dict)
    # What was found for other buckets in this round, and which they are.
    outbox: list = field(default_factory=list)
    reached: list = field(default_factory=list)
    # Pages that came nearer, and whose links nobody has followed yet.
    unfollowed: list = field(default_factory=list)
    # What was chosen to be visited again, for the next round.
    again: list = field(default_factory=list)
    recrawl: Recrawl | None = None
    ahead: int = 0
    read: int = 0
    nearer: int = 0
    seconds: float = 0.0

    def take(self, bucket: int, result: dict) -> None:
        """What a task has done is part of the round."""
        known = self.buckets.setdefault(bucket, Bucket())
        known.chunks = result["chunks"]
        known.waiting, known.next_due_ms = result["waiting"], result["next_due_ms"]
        known.totals = result["totals"]
        files = result["files"]
        self.outbox += files.pop("outbox", [])
        self.reached = sorted({*self.reached, *result["reaches"]})
        self.unfollowed += files.pop("unfollowed", [])
        for table, names in files.items():
            known.files.setdefault(table, []).extend(names)
        self.ahead += result["ahead"]
        self.read += result["read"]
        self.nearer += result["nearer"]
        if self.recrawl:
            self.recrawl.take(result["came"])

    def next(self) -> "Manifest":
        """The round after this one, before anything has happened in it."""
        buckets = {number: Bucket(**asdict(bucket)) for number, bucket in self.buckets.items()}
        sums = {name: getattr(self, name) for name in ("ahead", "read", "nearer", "seconds")}
        recrawl = Recrawl(**asdict(self.recrawl)) if self.recrawl else None
        return Manifest(round=self.round + 1, buckets=buckets, recrawl=recrawl, **sums)

    def files(self, table: str) -> list:
        return [name for bucket in self.buckets.values() for name in bucket.files.get(table, [])]

    def total(self, name: str) -> int:
        return sum(bucket.totals.get(name, 0) for bucket in self.buckets.values())

    @property
    def waiting(self) -> int:
        return sum(bucket.waiting for bucket in self.buckets.values())

    @property
    def is_done(self) -> bool:
        is_open = self.waiting or self.outbox or self.unfollowed or self.again
        return self.round >= 0 and not is_open


def name_of(number: int) -> str:
    return f"{ROUNDS}/{number:06d}.json"


def commit(out: Out, manifest: Manifest) -> None:
    out.write_json(name_of(manifest.round), {"version": VERSION, **asdict(manifest)})


def last(out: Out) -> Manifest:
    """The last round that was committed."""
    names = out.names(ROUNDS)
    if not names:
        return Manifest()
    value = out.read_json(names[-1])
    if value.pop("version", None) != VERSION:
        raise OutError(f"{out.spark(names[-1])} was written by another version of webweir; use that one, or another --out")
    value["buckets"] = {int(number): Bucket(**bucket) for number, bucket in value["buckets"].items()}
    if value.get("recrawl"):
        value["recrawl"] = Recrawl(**value["recrawl"])
    return Manifest(**value)


def begin(out: Out, buckets: int) -> int:
    """The number of buckets, which is fixed when a crawl begins."""
    known = out.read_json(CRAWL)
    if known is None:
        out.write_json(CRAWL, {"version": VERSION, "buckets": buckets})
        return buckets
    return known["buckets"]


def sweep(out: Out, manifest: Manifest) -> None:
    """Deletes what tasks have left behind that did not come to their end."""
    wanted = {name for bucket in manifest.buckets.values() for name in bucket.chunks}
    for table in ("pages", "links", "seen", "warc", "nearer"):
        wanted.update(manifest.files(table))
    wanted.update(manifest.outbox, manifest.unfollowed, manifest.again)
    own = ("state", "outbox", "nearer", "unfollowed", "again", "settled")
    for folder in ("pages", "links", "seen", "warc", *(f"_weir/{name}" for name in own)):
        for name in out.names(folder, deep=True):
            if name not in wanted:
                out.delete(name)

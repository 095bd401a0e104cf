"""One promise and what was found, and how that is shown."""

from dataclasses import dataclass, field

# Cases of one promise that are spelled out.
TOLD = 5


@dataclass
class Verdict:
    what: str
    # How often it was broken; None if that cannot be judged, with the reason in `note`.
    count: int | None
    note: str = ""
    details: list = field(default_factory=list)

    @property
    def is_good(self):
        return not self.count

    @property
    def word(self):
        return "not judged" if self.count is None else "kept" if self.is_good else "BROKEN"

    @property
    def number(self):
        return "-" if self.count is None else f"{self.count:,}"


def table(run, verdicts, told):
    rows = [f"{verdict.word:<11} {verdict.number:>8}  {verdict.what}" + (f" ({verdict.note})" if verdict.note else "") for verdict in verdicts]
    cases = [f"  {verdict.what}: {case}" for verdict in verdicts for case in verdict.details[:TOLD]]
    rest = [f"{what + ':':<58} {value}" for what, value in told.items()]
    return "\n".join([f"{run['scenario']}, seed {run['seed']}", *cases, *rest, *rows])


def markdown(run, verdicts, told):
    lines = [f"### {run['scenario'].capitalize()}, seed {run['seed']}, {run['minutes']:g} minutes", "", "| must be 0 | found | |", "| --- | ---: | --- |"]
    lines += [f"| {verdict.what} | {verdict.number} | {verdict.word}{': ' + verdict.note if verdict.note else ''} |" for verdict in verdicts]
    lines += ["", "| figure | |", "| --- | --- |"]
    lines += [f"| {what} | {value} |" for what, value in told.items()]
    return "\n".join(lines) + "\n"

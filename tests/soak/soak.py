"""A crawl while everything goes wrong, and whether weir has kept its word.

    soak.py --minutes 120 [--seed N] [--report FILE] [--scenario cluster|single|both] [--limit BYTES] [--folder DIR] [--keep]

Makes network namespaces of its own, so nothing leaves the machine. docs/reliability.md tells what is done and what is promised.
Exit codes: 0 all promises kept, 1 one broken, or the run could not be made, 2 wrong use.
"""

import argparse
import fcntl
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import clock
import lab
import scenario

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Of the time, where both are run.
PARTS = {"cluster": 0.75, "single": 0.25}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, required=True, help="how long faults are made")
    parser.add_argument("--seed", type=int, help="the same faults at the same times (default: drawn)")
    parser.add_argument("--scenario", choices=[*PARTS, "both"], default="both")
    parser.add_argument("--limit", type=int, default=1_000_000, help="bytes a second (1000000)")
    parser.add_argument("--report", type=Path, help="write the result there, as Markdown")
    parser.add_argument("--folder", type=Path, help="for what the run leaves (default: soak in the build folder)")
    parser.add_argument("--keep", action="store_true", help="keep the pages too; if a promise is broken they are kept anyway")
    args = parser.parse_args()
    if args.minutes <= 0 or args.limit < 50_000:
        parser.error("--minutes must be above 0, and --limit 50000 at the least")
    return args


def programs():
    """Where weir and weir-testsite are; the caller has built them."""
    folder = os.environ.get("WEIR_PROGRAMS")
    return Path(folder) if folder else Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"


def main():
    args = arguments()
    if missing := lab.need():
        print(f"cannot run: there is no {', no '.join(missing)}", file=sys.stderr)
        return 1
    if not lab.is_inside():
        if not lab.can_enter():
            print("cannot run: needs the right to make namespaces (unshare --user --net --mount --pid)", file=sys.stderr)
            return 1
        # Drawn here, so that it is told whatever becomes of the run.
        seed = args.seed if args.seed is not None else random.randrange(1 << 32)
        print(f"seed {seed}: the same faults come again with --seed {seed}", flush=True)
        return lab.enter(__file__, [*sys.argv[1:], "--seed", str(seed)])
    return inside(args)


def inside(args):
    folder = (args.folder or programs().parent / "soak").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"cannot run: another run is under way in {folder}: wait for it, or give this one a --folder of its own", file=sys.stderr)
            return 1
        return alone(args, folder)


def alone(args, folder):
    for name in (*PARTS, "kept"):  # Of an earlier run; whatever else is there is not ours.
        shutil.rmtree(folder / name, ignore_errors=True)
    lab.lay()
    if clock.library() is None:
        print("LEFT OUT: clock jumps are not made, since there is no libfaketime (Debian: faketime)", flush=True)
    chosen = PARTS if args.scenario == "both" else {args.scenario: 1.0}
    for name, part in chosen.items():
        print(f"{name}: faults for {args.minutes * part:.1f} minutes at {args.limit} bytes a second", flush=True)
        scenario.run(name, programs(), folder / name, args.minutes * part, args.limit, args.seed)
    report = ["--report", str(args.report.resolve())] if args.report else []
    words = [sys.executable, str(HERE / "checker.py"), *[str(folder / name) for name in chosen], *report]
    code = subprocess.run(words, check=False).returncode
    if code != 0 or args.keep:
        keep(folder, chosen)
    return code


def keep(folder, chosen):
    """The disks are gone with the run; what was on them is copied out of it."""
    for name in chosen:
        for out in (folder / name).glob("*/out"):
            shutil.copytree(out, folder / "kept" / name / out.parent.name / "out")
    print(f"what was kept of the pages: {folder / 'kept'}")


if __name__ == "__main__":
    sys.exit(main())

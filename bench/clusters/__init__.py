"""The parts of `bench/cluster`: a file each, with a function `run` that gives a table and verdicts."""

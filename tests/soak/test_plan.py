"""That the faults of a run are drawn as they should be."""

import plan


def draw(**more):
    return plan.draw(**{"scenario": "cluster", "minutes": 120, "hosts": 40, "seed": 7, **more})


def test_a_seed_tells_all_of_it():
    assert draw() == draw()
    assert draw() != draw(seed=8)


def test_every_kind_is_made_in_a_long_run():
    kinds = {fault.kind for fault in draw()}
    assert kinds == {kind for track in plan.TRACKS["cluster"] for kind in track}


def test_a_minute_has_most_kinds():
    assert len({fault.kind for fault in draw(minutes=1)}) >= 9


def test_faults_are_over_in_time():
    assert all(fault.at + fault.lasts <= 120 * 60 for fault in draw())


def test_one_downloader_lives_and_so_does_the_scheduler_later():
    for fault in draw():
        if fault.kind.startswith(("kill", "stop", "disk")):
            assert fault.target != "d3"
            assert fault.target != "scheduler" or fault.at < 61 * 60


def test_what_cannot_be_made_is_left_out():
    clocks = [kind for track in plan.TRACKS["cluster"] for kind in track if "clock" in kind]
    assert len(clocks) == 2
    assert not {fault.kind for fault in draw(without=clocks)} & set(clocks)

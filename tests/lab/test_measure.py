"""Which starts a record is made of, with a lab that starts nothing."""

from __future__ import annotations

from lab.machine import Kernel
from lab.measure import BASE_SEEDS, Measurement

from .test_lab import AUDIT, MADE, run

RESTLESS = (600, 640, 640)


class Starts:
    """Gives a restless run for some seeds, and counts all starts."""

    def __init__(self, *restless):
        self.restless, self.seeds = restless, []

    def run(self, kernel, line, arguments, seed):
        self.seeds.append(seed)
        return run(RESTLESS if seed in self.restless else (600, 600, 600))


def seeds(tmp_path, *restless, most=3):
    lab, kernel = Starts(*restless), Kernel("k", tmp_path)
    measurement = Measurement(lab, kernel, lambda _: None)
    found = measurement._at_rest(AUDIT, kernel, MADE, BASE_SEEDS, most)
    return tuple(found), tuple(lab.seeds)


def test_three_seeds_are_enough_where_the_kernel_rests(tmp_path):
    assert seeds(tmp_path) == ((1, 2, 3), (1, 2, 3))


def test_a_seed_with_which_it_does_not_rest_is_left_out(tmp_path):
    assert seeds(tmp_path, 1, 3) == ((2, 4, 5), (1, 2, 3, 4, 5))


def test_one_that_never_rests_is_told_by_its_first_seeds(tmp_path):
    assert seeds(tmp_path, *BASE_SEEDS) == ((1, 2, 3), BASE_SEEDS)


def test_the_kernel_as_it_is_has_all_seeds_at_which_it_rests(tmp_path):
    assert seeds(tmp_path, 2, most=6) == ((1, 3, 4, 5, 6), BASE_SEEDS)
    assert seeds(tmp_path, 2, 3, 4, 5, most=6) == (BASE_SEEDS, BASE_SEEDS)

"""What a host has in use makes some settings useless: told of that host alone."""

from __future__ import annotations

from advisor.engine.diagnose.inputs import diagnose
from advisor.engine.effective.world import World
from advisor.model.subject import InUse

from ..cases import each

ZSWAP = "/sys/module/zswap/parameters/enabled"


@each(
    ("kinds", "ids"),
    [("none", ["zswap-idle"]), ("zram", ["compressed-twice"]), ("disk zram", []), ("disk", [])],
)
def test_zswap_where_there_is_nothing_for_it(make_world, kinds, ids):
    running = f"/proc/swaps = {kinds}\n{ZSWAP} = Y"
    found = diagnose(make_world("SWAP=y ZSWAP=y", runtime=running))
    assert [one.id for one in found] == ids
    assert not diagnose(make_world("SWAP=y ZSWAP=y", runtime=running.replace("= Y", "= N")))


def test_a_scheduler_in_bpf_takes_the_word_from_what_is_said_of_the_kernels_own(make_world):
    world = make_world("SCHED_CLASS_EXT=y", runtime="/sys/kernel/sched_ext = (present)")
    assert not diagnose(world)
    used = (InUse("scheduler", "scx_lavd (sched_ext)"),)
    (found,) = diagnose(World(world.subject._replace(in_use=used), world.knowledge))
    assert (found.id, found.message[:32]) == (
        "scheduler-replaced",
        "the program scx_lavd (sched_ext)",
    )

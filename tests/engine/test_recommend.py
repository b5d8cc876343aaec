"""Which profiles fit a host: as the built-in profiles say it, and TuneD beside."""

from __future__ import annotations

import re

from advisor.engine.recommend import recommend
from advisor.model.evidence import CLEAR, TRAITS, Candidate, Evidence, Sign, Signs

from .. import corpus
from ..cases import each

KNOWLEDGE = corpus.knowledge()
CANDIDATES = KNOWLEDGE.candidates()


def host(*names, runs=True):
    """A host with these traits and units."""
    kinds = ("trait" if name in TRAITS else "unit" for name in names)
    return Signs("", signs=tuple(Sign(k, n, n, runs) for k, n in zip(kinds, names, strict=True)))


def fits(*names):
    """The clear profiles, and the hints."""
    found = recommend(CANDIDATES, host(*names))
    return ([r.profile for r in found if r.clear], [r.profile for r in found if not r.clear])


@each(
    ("signs", "clear", "hints"),
    [
        ((), ["server-throughput"], []),
        (("guest",), ["virtualization-guest"], []),
        (("guest", "nginx"), ["virtualization-guest", "server-throughput"], []),
        (("guest", "postgresql@17-main"), ["virtualization-guest", "database"], []),
        (("server-case",), ["server-throughput"], []),
        (("server-case", "postgresql"), ["database"], []),
        (("server-case", "slurmd", "infiniband"), ["hpc-compute"], []),
        (("infiniband",), ["server-throughput"], ["hpc-compute"]),
        (("portable", "battery"), ["power-saving"], []),
        (("portable", "battery", "display"), ["power-saving", "desktop-latency"], []),
        (("display",), ["desktop-latency"], []),
        (("display", "mariadb"), ["desktop-latency"], ["database"]),
        (("desktop-system",), ["desktop-latency"], []),
        (("desktop-system", "mariadb"), ["desktop-latency"], ["database"]),
        (("desktop-system", "server-case"), ["server-throughput"], []),
        (("display", "guests", "libvirtd"), ["desktop-latency"], ["virtualization-host"]),
        (("guests", "libvirtd"), ["virtualization-host"], []),
        (("libvirtd",), ["server-throughput"], ["virtualization-host"]),
        (("realtime-kernel", "isolated"), ["realtime"], []),
        (("isolated", "tickless"), ["server-throughput"], ["network-latency"]),
        (("vpp", "isolated"), ["network-latency"], []),
        (("redis-server",), ["server-throughput"], ["database"]),
        (("nginx", "redis-server"), ["server-throughput"], ["database"]),
        (("haproxy",), ["network-throughput"], []),
        (("routes",), ["server-throughput"], ["network-throughput"]),
        (("routes", "one-purpose"), ["network-throughput"], []),
        (("kubelet",), ["container-host", "server-throughput"], []),
        (("oracle-ohasd",), ["database"], []),
        (("mysqld-exporter", "nginx-agent", "postgresql-backup"), ["server-throughput"], []),
    ],
    ids=str,
)
def test_what_fits(signs, clear, hints):
    assert fits(*signs) == (clear, hints)


@each(
    ("tuned", "signs", "ours"),
    [
        # recommend.conf of TuneD: virt=.+, then system=.*(computenode|server).*, then the rest.
        ("virtual-guest", ("guest",), "virtualization-guest"),
        ("throughput-performance", ("server-case",), "server-throughput"),
        ("balanced", ("portable", "battery"), "power-saving"),
        ("balanced", ("display",), "desktop-latency"),
        ("balanced", (), "server-throughput"),
    ],
)
def test_beside_tuned(tuned, signs, ours):
    """docs/evidence/guests.md has this table."""
    assert fits(*signs)[0][0] == ours


def test_it_says_why_and_whether_it_runs():
    (one,) = recommend(CANDIDATES, host("postgresql", runs=False))
    assert one.reasons == ("PostgreSQL is enabled (postgresql)",)


def test_nothing_special_has_no_reason():
    (one,) = recommend(CANDIDATES, host("cron", "ssh"))
    assert (one.profile, one.reasons, one.clear) == ("server-throughput", (), True)


def test_evidence_that_is_ruled_out():
    evidence = Evidence(9, traits=("isolated",), unless=("realtime-kernel",))
    candidate = Candidate("x", "X", (evidence,))
    assert [r.profile for r in recommend([candidate], host("isolated"))] == ["x"]
    assert recommend([candidate], host("isolated", "realtime-kernel")) == []


def test_order_does_not_matter():
    signs = host("guest", "nginx", "redis")
    assert recommend(CANDIDATES[::-1], signs) == recommend(CANDIDATES, signs)


def test_an_everyday_name_is_of_one_profile():
    documents = {name: KNOWLEDGE.document("fits", name) for name in KNOWLEDGE.ids("fits")}
    taken = [name for document in documents.values() for name in document["names"]]
    assert len(taken) == len(set(taken))
    assert not set(taken) & set(documents)


@each(
    "name",
    ["server", "gaming", "laptop", "db", "kvm", "trading", "hpc", "audio", "router", "vm", "rt"],
)
def test_everyday_names(name):
    assert len(KNOWLEDGE.called(name)) == 1


def test_one_profile_is_neutral():
    assert [c.profile for c in CANDIDATES if c.neutral] == ["server-throughput"]


def test_the_schema_knows_the_traits_and_processes_can_be_so_called():
    from advisor.knowledge.schema import schema

    one = schema("profile")["properties"]["evidence"]["items"]["properties"]
    assert one["traits"]["items"]["enum"] == one["unless"]["items"]["enum"] == list(TRAITS)
    evidence = [one for candidate in CANDIDATES for one in candidate.evidence]
    assert all(len(name) <= 15 for one in evidence for name in one.processes)
    assert not [u for one in evidence for u in one.units if re.search(r"\.service$", u)]
    assert all(1 <= one.weight <= 9 for one in evidence)
    assert CLEAR == 5

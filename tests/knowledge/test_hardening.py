"""What hardens kernels (rules/protections.toml): the list is what its sources say, no profile calls
it waste, and none asks for what of it is lacking, but for what is named here."""

import json
import lzma
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.engine.remedy.hardening import WHOLE
from advisor.knowledge import authorities
from advisor.model.profile import Option, Stance, Strength
from tools.authorities import hardening

from .. import corpus
from ..cases import each

KNOWLEDGE = corpus.knowledge()
ARCHES = ("", "arm", "arm64", "powerpc", "x86")


def protective(arch=""):
    """What kernel/configs/hardening.config, and that of the architecture's folder, set."""
    lists = authorities.part("hardening")
    lines = [*lists.get("", ()), *(lists.get(arch, ()) if arch else ())]
    pairs = (line.removeprefix("config ").partition("=") for line in lines)
    return {symbol: value for symbol, _, value in pairs}


FRAGMENTS = {pair for arch in ARCHES for pair in protective(arch).items()}
PROTECTIONS = [KNOWLEDGE.document("protections", name) for name in KNOWLEDGE.ids("protections")]
# Of those who recommend protection, not of those who take away what may be attacked.
RECOMMENDED = [one for one in PROTECTIONS if "by" not in one]
LINES = [
    line for one in RECOMMENDED for kind in ("fragment", "config") for line in one.get(kind, ())
]
LISTED = {(line.partition("=")[0], line.partition("=")[2]) for line in LINES}
# Advice above COULD that does go against the list; the engine makes it COULD where a subject has
# DMA_STRICT.
AGAINST = {
    # 32-bit ARM programs start at 32768.
    ("hardening", "lowest-mapping-for-arm-programs"),
    *(
        (profile, "iommu-default-domain")
        for profile in (
            "database",
            "hpc-compute",
            "network-latency",
            "network-throughput",
            "server-throughput",
            "virtualization-host",
        )
    ),
}


def weakened(option: Option) -> Iterator[str]:
    """The listed symbols that no value which the option is content with leaves as listed."""
    tunable = KNOWLEDGE.tunable(option.tunable)
    ways = [("off" if value == "n" else "on", name, value) for name, value in _members(option)]
    ways += [(each.name, *pair) for each in tunable.values for pairs in each.sets for pair in pairs]
    ways += [(value, name, value) for name, value in LISTED if name == tunable.symbol]
    listed = [(way, name) for way, name, value in ways if (name, value) in LISTED]
    kept = {*option.want, *option.accept} or {way for way, _, _ in ways} - {*option.avoid}
    yield from {name for _, name in listed} - {name for way, name in listed if way in kept}


def _members(option: Option) -> Iterator[tuple[str, str]]:
    symbols = {member.symbol for member in KNOWLEDGE.tunable(option.tunable).members}
    yield from (pair for pair in LISTED if pair[0] in symbols)


def test_the_kernel_s_own_fragments_are_listed_whole() -> None:
    own = {tuple(line.split("=")) for one in PROTECTIONS for line in one.get("fragment", ())}
    assert own == FRAGMENTS


def test_nothing_is_listed_twice() -> None:
    kinds = ("fragment", "config", "boot", "sysctl")
    names = [
        f"{kind == 'sysctl'} {line.partition('=')[0]}"
        for one in PROTECTIONS
        for kind in kinds
        for line in one.get(kind, ())
    ]
    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_every_listed_symbol_and_word_is_one() -> None:
    symbols = {line.partition("=")[0] for line in LINES}
    assert [name for name in sorted(symbols) if not KNOWLEDGE.catalogue.seen(name)] == []
    words = {line.partition("=")[0] for one in PROTECTIONS for line in one.get("boot", ())}
    known = KNOWLEDGE.parameter_catalogue
    assert [name for name in sorted(words) if known.seen(name) is None] == []


def test_no_group_of_debugging_or_waste_has_what_is_listed() -> None:
    """What profiles want off: no member of it is listed, by its symbol or by its word."""
    wanted_off = {
        option.tunable
        for profile in KNOWLEDGE.ids("profiles")
        for advice in KNOWLEDGE.profile(profile).advice
        if advice.stance is not Stance.NEUTRAL
        for option in advice.options
        if "off" in option.want
    }
    wrong = [
        (name, member.symbol)
        for name in sorted(wanted_off)
        for member in KNOWLEDGE.tunable(name).members
        if (member.symbol, "y") in LISTED
    ]
    assert wrong == []


def test_no_remark_calls_a_listed_word_needless() -> None:
    wrong = []
    for name in KNOWLEDGE.ids("parameters"):
        listed, parameter = KNOWLEDGE.listed(name), KNOWLEDGE.parameter(name)
        for remark in parameter.remarks if listed and parameter else ():
            values = remark.values or listed.values
            if remark.kind == "redundant" and set(values) & set(listed.values):
                wrong.append((name, remark.values))
    assert wrong == []


def test_nothing_listed_is_advised_away_above_could() -> None:
    against = {
        (profile, advice.id)
        for profile in KNOWLEDGE.ids("profiles")
        for advice in KNOWLEDGE.profile(profile).advice
        if advice.stance is not Stance.NEUTRAL and advice.strength is not Strength.COULD
        if any(name for option in advice.options for name in weakened(option))
    }
    assert against == AGAINST


@each(
    ("tunable", "value", "symbol"),
    [
        ("hardening-checks", "off", "PAGE_TABLE_CHECK_ENFORCED"),
        ("init-on-alloc", "off", "INIT_ON_ALLOC_DEFAULT_ON"),
        ("heap-randomization", "off", "COMPAT_BRK"),
    ],
)
def test_what_would_be_advised_away_is_seen(tunable: str, value: str, symbol: str) -> None:
    option = next(
        option
        for profile in KNOWLEDGE.ids("profiles")
        for advice in KNOWLEDGE.profile(profile).advice
        for option in advice.options
        if option.tunable == tunable
    )
    assert symbol in set(weakened(option._replace(want=(value,), accept=(), avoid=())))
    assert symbol not in set(weakened(option._replace(want=("on",), accept=(), avoid=())))


def test_an_architecture_has_the_list_of_all_and_its_own() -> None:
    assert protective()["COMPAT_BRK"] == "n"
    assert protective().items() <= protective("x86").items()
    assert "X86_KERNEL_IBT" not in protective()
    assert protective("x86")["X86_KERNEL_IBT"] == "y"
    assert protective("s390") == protective()


def test_what_a_tree_lists_as_hardening(tmp_path: Path) -> None:
    for folder, text in {
        "kernel/configs": "CONFIG_A=y\n# CONFIG_B is not set\n",
        "arch/x86/configs": "CONFIG_C=y\n",
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "hardening.config").write_text(text)
    assert hardening(tmp_path) == {"": ["config A=y", "config B=n"], "x86": ["config C=y"]}


LACKING = {  # what profiles ask for of the list, for another reason than the list's
    "memory-protection": "a must of each: what no kernel may be without",
    "spare-features": "size",
    "single-mitigations": "the flaws of processors are weighed as such, with CPU_MITIGATIONS",
}
BUILT = (
    "CONFIG_X86_64=y",
    "CONFIG_SMP=y",
    "CONFIG_PCI=y",
    "CONFIG_KVM=m",
    "CONFIG_CPU_MITIGATIONS=y",
)
MACHINE = ("--cpus", "16", "--nodes", "2", "--memory", "64G", "--vendor", "intel", "--bare-metal")


@pytest.mark.slow
def test_what_is_lacking_is_not_advised(run_inside, make_config) -> None:
    """A kernel that has nothing of the list, for which every profile is asked but the one that is
    for hardening."""
    other = {"y": "n", "n": "y"}
    lines = [
        f"CONFIG_{name}=y" if other.get(value) == "y" else f"# CONFIG_{name} is not set"
        for name, value in sorted(LISTED)
        if value in other
    ]
    path = make_config("# Linux/x86 6.12.117 Kernel Configuration", *BUILT, *lines)
    asked = set()
    for profile in set(KNOWLEDGE.ids("profiles")) - {"hardening"}:
        words = ("audit", str(path), "-p", profile, "-f", "json", "--fail-on", "never", *MACHINE)
        (report,) = json.loads(run_inside(*words).stdout)["reports"]
        for finding in report["findings"]:
            changes = [c for remedy in finding["remedies"] for c in remedy["changes"]]
            if any((c["symbol"], c["to"]) in LISTED and c["role"] == "asked" for c in changes):
                asked.add(finding["tunable"]["id"])
    assert asked == set(LACKING)


RARE = KNOWLEDGE.rare()
MOST, ORDINARY = 3, 2
"""Of 23 configurations of distributions, how many have what is rare; and how much of it each has.
The hardened ones, which say so themselves, have 8 (Talos, nixpkgs' and CachyOS' hardened kernels)
and 5 (Gentoo's); those of IPFire, Clear Linux and LinuxKit 4 or 5. So 4 is twice what any of the
others has, and no more than what any of these has."""


@pytest.mark.skipif(not os.environ.get("KERNEL_ADVISOR_CORPUS"), reason="needs configurations")
def test_the_counts_behind_what_is_rare() -> None:
    folder = Path(os.environ["KERNEL_ADVISOR_CORPUS"])
    found: Counter[str] = Counter()
    most = []
    for path in sorted(folder.glob("*.config*")):
        if "hardened" in path.name:
            continue
        text = lzma.decompress(path.read_bytes()).decode("utf-8", "replace")
        pairs = re.findall(r"^CONFIG_(\w+)=(\S+)|^# CONFIG_(\w+) is not set", text, re.M)
        values = {set_ or unset: value or "n" for set_, value, unset in pairs}
        has = {
            "|".join(names)
            for names in RARE
            for name in names
            if (listed := KNOWLEDGE.listed(name)) and values.get(name) in listed.values
        }
        found.update(has)
        most.append(len(has))
    assert max(found.values()) <= MOST
    assert max(most) <= ORDINARY
    assert WHOLE == 2 * ORDINARY

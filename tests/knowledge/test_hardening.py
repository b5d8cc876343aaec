"""What the kernel lists as hardening is not advised away above COULD, but for what is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.knowledge import authorities, index
from advisor.model.rules import Option, Stance, Strength
from tools.authorities import hardening

KNOWLEDGE = index.load()
ARCHES = ("", "arm", "arm64", "powerpc", "x86")
LISTED = {pair for arch in ARCHES for pair in authorities.protective(arch).items()}
# Advice above COULD that does go against the list: SHOULD, where a subject has DMA_STRICT.
AGAINST = {
    (profile, "iommu-default-domain")
    for profile in (
        "database",
        "hpc-compute",
        "network-latency",
        "network-throughput",
        "server-throughput",
        "virtualization-host",
    )
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


def test_nothing_listed_is_advised_away_above_could() -> None:
    against = {
        (profile, advice.id)
        for profile in KNOWLEDGE.ids("profiles")
        for advice in KNOWLEDGE.profile(profile).advice
        if advice.stance is not Stance.NEUTRAL and advice.strength is not Strength.COULD
        if any(name for option in advice.options for name in weakened(option))
    }
    assert against == AGAINST


@pytest.mark.parametrize(
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
    assert authorities.protective()["COMPAT_BRK"] == "n"
    assert authorities.protective().items() <= authorities.protective("x86").items()
    assert "X86_KERNEL_IBT" not in authorities.protective()
    assert authorities.protective("x86")["X86_KERNEL_IBT"] == "y"
    assert authorities.protective("s390") == authorities.protective()


def test_what_a_tree_lists_as_hardening(tmp_path: Path) -> None:
    for folder, text in {
        "kernel/configs": "CONFIG_A=y\n# CONFIG_B is not set\n",
        "arch/x86/configs": "CONFIG_C=y\n",
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "hardening.config").write_text(text)
    assert hardening(tmp_path) == {"": ["config A=y", "config B=n"], "x86": ["config C=y"]}

"""The ledger of a configuration: what it has, seen from the value that is here."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from advisor.engine.costs import ledger
from advisor.engine.effective.world import World
from advisor.inputs.subject import Given, read_subject
from advisor.model.cmdline import parse_cmdline
from advisor.output import Style, costs, ledgerjson
from advisor.output import ledger as output

from .. import corpus

KNOWLEDGE = corpus.knowledge()
SCHEMA = Path(output.__file__).parent / "schemas" / "costs.schema.json"
LINES = ("CONFIG_PSI=y", "CONFIG_AUDIT=y", "CONFIG_NET=y", "CONFIG_HARDENED_USERCOPY=y")


@pytest.fixture
def ledger_of(make_config):
    def make(*lines, cmdline="", **facts):
        path = make_config(*(lines or LINES), **facts)
        given = Given(cmdline=parse_cmdline(cmdline))
        return ledger(World(read_subject(str(path), given), KNOWLEDGE))

    return make


def of_cloud(found):
    """Of the accounts, one for each kernel of the lab, that of Debian's 6.12 for clouds."""
    return next(one for one in found.accounts if one.kernel.name == "cloud-6.12")


def charge(found, tunable):
    account = of_cloud(found)
    rows = {
        (field, one.record.tunable): one
        for field in ("paid", "spared", "none", "open", "apart")
        for one in getattr(account, field)
    }
    return next(((field, one) for (field, name), one in rows.items() if name == tunable), None)


def test_what_is_on_is_told_against_what_spares_it(ledger_of):
    field, on = charge(ledger_of(), "psi")
    assert (field, on.record.value) == ("paid", "built")
    assert all(window.difference > 0 for window in on.record.windows)
    field, off = charge(ledger_of(cmdline="psi=0"), "psi")
    assert field == "spared"
    for before, after in zip(on.record.windows, off.record.windows, strict=True):
        assert before.difference == -after.difference
        assert before.without == pytest.approx(after.without + after.difference)


def test_a_member_of_a_group_counts_by_itself(ledger_of):
    field, one = charge(ledger_of(), "hardening")
    assert (field, one.here, one.other, one.protects) == ("paid", "on", "off", True)
    assert charge(ledger_of(cmdline="hardened_usercopy=off"), "hardening")[0] == "spared"


def test_what_is_decided_at_run_time_is_not_said_to_be_on(ledger_of):
    account = of_cloud(ledger_of())
    assert "audit" in {one.record.tunable for one in account.open}
    assert "audit" not in {one.record.tunable for one in account.paid}
    account = of_cloud(ledger_of(cmdline="audit=1"))
    assert "audit" in {one.record.tunable for one in account.paid}
    # That audit=0 makes no difference was measured of a kernel that does not audit.
    assert "audit" in {one.record.tunable for one in account.apart}
    assert "audit" not in {one.record.tunable for one in account.none}
    not_built = ("CONFIG_NET=y", "# CONFIG_AUDIT is not set")
    assert charge(ledger_of(*not_built, cmdline="audit=1"), "audit") is None


def test_nothing_is_carried_over_to_another_architecture(ledger_of):
    found = ledger_of(arch="riscv")
    assert found.accounts == ()
    assert "Nothing was measured on riscv" in output.verdict(found)


def test_sums_are_of_one_window_and_take_each_tunable_once(ledger_of):
    account = of_cloud(ledger_of("CONFIG_PREEMPT_VOLUNTARY=y", "CONFIG_PREEMPT_DYNAMIC=y", *LINES))
    assert account.sums
    for one in account.sums:
        rows = [
            (charge.record.tunable, charge.record.member)
            for charge in account.paid
            for window in charge.record.windows
            if window.name == one.window
        ]
        assert 1 < one.tunables <= len(set(rows))


@pytest.mark.parametrize("kernel", ["6.12.117", "5.10.0", "7.2.0"])
def test_the_ledger_says_on_which_kernel(ledger_of, kernel):
    found = ledger_of(kernel=kernel)
    text = "".join(map(str, output.sections(found, "text")))
    assert "on Linux 6.12.117" in text
    assert ("not on this kernel" in text) == (kernel != "6.12.117")
    assert "faster" not in text
    assert "slower" not in text


def test_as_json_it_holds_against_its_schema(ledger_of):
    schema = json.loads(SCHEMA.read_text())
    found = [ledger_of(), ledger_of(arch="arm64"), ledger_of(cmdline="audit=1 slab_debug=FZPU")]
    document = json.loads(ledgerjson.render(found, Style()))
    jsonschema.Draft202012Validator(schema).validate(document)
    accounts = document["ledgers"][0]["accounts"]
    account = next(one for one in accounts if one["kernel"]["name"] == "cloud-6.12")
    assert [check["name"] for check in account["sums_checked"]] == ["cloud-6.12/together=seven"]
    assert account["sums"][0]["takes"] > account["sums"][0]["difference"]


@pytest.mark.parametrize(
    ("word", "field"),
    [
        ("slab_debug", "paid"), ("slub_debug=FZPU", "paid"), ("slab_debug=fzpu", "paid"),
        ("slab_debug=F", "apart"), ("slub_debug=FZ", "apart"), ("slab_debug=-", "spared"),
    ],
)  # fmt: skip
def test_other_letters_are_not_what_was_measured(ledger_of, word, field):
    """slab_debug= takes letters, and each checks something else."""
    lines = ("CONFIG_SLUB=y", "CONFIG_SLUB_DEBUG=y", "# CONFIG_SLUB_DEBUG_ON is not set")
    found, one = charge(ledger_of(*lines, cmdline=word), "slub-debug")
    assert found == field
    assert (word in one.note) == (field == "apart")


def test_what_a_group_shares_with_a_tunable_is_charged_once(ledger_of):
    lines = ("CONFIG_SLUB=y", "CONFIG_SLUB_DEBUG=y", "# CONFIG_SLUB_DEBUG_ON is not set")
    account = of_cloud(ledger_of(*lines, cmdline="slab_debug"))
    assert [one.record.setting for one in account.paid].count("slab_debug") == 1


def test_a_number_is_charged_to_who_has_it_alone(ledger_of):
    field, one = charge(ledger_of(cmdline="slab_min_objects=64"), "slab-min-objects")
    assert (field, one.record.value) == ("spared", "64")
    assert charge(ledger_of(), "slab-min-objects") is None
    assert charge(ledger_of(cmdline="slab_min_objects=32"), "slab-min-objects") is None


def test_what_was_built_otherwise_is_not_carried_over(ledger_of):
    none = ("CONFIG_PREEMPT_NONE=y", "CONFIG_NET=y")
    field, one = charge(ledger_of(*none, "CONFIG_PREEMPT_DYNAMIC=y"), "preemption-model")
    assert (field, one.record.value) == ("spared", "none")
    field, one = charge(ledger_of(*none), "preemption-model")
    assert (field, one.note) == ("apart", one.record.terms.why)


APPARMOR = ("CONFIG_SECURITY_APPARMOR=y", "CONFIG_DEFAULT_SECURITY_APPARMOR=y")
NONE = tuple(f"# CONFIG_SECURITY_{name} is not set" for name in ("SELINUX", "SMACK", "TOMOYO"))
SELINUX = ("CONFIG_SECURITY_SELINUX=y", "CONFIG_DEFAULT_SECURITY_SELINUX=y")


@pytest.mark.parametrize(
    ("lines", "field"), [(APPARMOR, "paid"), (SELINUX, "apart"), (NONE, "spared")]
)
def test_one_security_module_tells_nothing_of_another(ledger_of, lines, field):
    built = ("CONFIG_SYSFS=y", "CONFIG_MULTIUSER=y", "CONFIG_NET=y", "CONFIG_SECURITY=y", *lines)
    assert charge(ledger_of(*built), "lsm")[0] == field


def test_a_setting_stands_once_with_all_that_it_was_held_against(ledger_of):
    found = ledger_of("CONFIG_PREEMPT_VOLUNTARY=y", "CONFIG_PREEMPT_DYNAMIC=y", "CONFIG_NET=y")
    sections = {section.title: section for section in output.sections(found, "text")}
    rows = sections["Settings that cost something"].items
    told = [row for row in rows if "Preemption model" in str(row.text)]
    (row,) = [row for row in told if "chosen at boot" not in str(row.text)]
    assert sum("against" in str(below.text) for below in row.items) == 2


def test_what_is_not_here_is_told_as_what_it_would_take(ledger_of):
    found = ledger_of(cmdline="psi=0")
    title = "Settings not used here, and what they would cost"
    told = [section for section in output.sections(found, "text") if section.title == title]
    assert "sleep-wake +818" in str(told[0])


def lines_of(found):
    """The ledger in lines, with what stands below each."""

    def each(rows, depth):
        for row in rows:
            text = "".join(getattr(piece, "text", piece) for piece in row.text)
            yield "  " * depth + text
            yield from each(row.items, depth + 1)

    for section in output.sections(found, "text"):
        yield section.title
        yield from each(section.items, 1)


DEBIAN = (
    "CONFIG_PSI=y", "CONFIG_NET=y", "CONFIG_HARDENED_USERCOPY=y",
    "CONFIG_INIT_ON_ALLOC_DEFAULT_ON=y", "CONFIG_PREEMPT_VOLUNTARY=y", "CONFIG_PREEMPT_DYNAMIC=y",
)  # fmt: skip


def test_each_title_stands_once_whatever_kernel_tells(ledger_of):
    found = ledger_of(*DEBIAN, "# CONFIG_PREEMPT_RT is not set")
    assert len(found.accounts) > 1
    titles = [section.title for section in output.sections(found, "text")]
    assert len(titles) == len(set(titles))
    told = [line for line in lines_of(found) if line.startswith("  Real-time kernel")]
    assert told == [
        "  Real-time kernel (PREEMPT_RT): on, against off [preempt-rt=on --kernel amd64-6.12]"
    ]


def test_what_is_paid_is_told_by_what_is_done(ledger_of):
    found = ledger_of(*DEBIAN)
    lines = list(lines_of(found))
    at = next(i for i, line in enumerate(lines) if "reading a file's status (stat)" in line)
    assert lines[at].startswith("  reading a file's status (stat): +915, added to")
    assert lines[at + 1] == (
        "    Clearing memory on allocation +731; Memory hardening: HARDENED_USERCOPY +184"
    )
    for one in of_cloud(found).sums:
        assert sum(more for _, more in one.parts) == pytest.approx(one.difference)
        assert len(one.parts) == one.tunables


def test_every_window_can_be_read_aloud():
    takes = {name for one in KNOWLEDGE.measured.by_name.values() for name, _ in one.kernel.takes}
    assert set(costs.WORDS) == takes


def test_what_is_another_size_alone_is_told(ledger_of):
    found = ledger_of("CONFIG_MODULES=y", "# CONFIG_TRIM_UNUSED_KSYMS is not set")
    lines = list(lines_of(found))
    at = next(i for i, line in enumerate(lines) if line.startswith("  Trimming of"))
    assert "[unused-exports=on" in lines[at]
    assert lines[at + 1] == "    size +146 KiB of 11.0 MiB (+1.3 %)"
    document = json.loads(ledgerjson.render([found], Style()))
    jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text())).validate(document)
    assert '"size":' in json.dumps(document)

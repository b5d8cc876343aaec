"""Words without their value: a parameter that stands bare, and a text that lost its quotes."""

from __future__ import annotations

import pytest

from advisor.engine.diagnose.bootline import diagnose_line

CONFIG = (
    "SMP=y CPU_ISOLATION=y NO_HZ_FULL=y RCU_NOCB_CPU=y HUGETLBFS=y DYNAMIC_DEBUG=y "
    "DYNAMIC_DEBUG_CORE=y DM_INIT=y BLK_DEV_DM=y ACPI=y"
)
DM = (
    "dm-verity,,,ro,0 736328 verity 1 /dev/vda1 /dev/vda2 4096 4096 92041 0 sha256 "
    "f211b9f1921e 065c13dfb5b4"
)


@pytest.fixture
def told(make_world):
    """What is told of a line: id, severity, word and remedy."""

    def tell(line, config=CONFIG, **more):
        world = make_world(config, cmdline=line, cpus=8, **more)
        return [(d.id, d.severity.value, d.subject, d.remedy) for d in diagnose_line(world)]

    return tell


@pytest.mark.parametrize("name", ["isolcpus", "nohz_full", "hugepages", "root", "init"])
def test_a_parameter_that_is_registered_with_a_value_needs_one(told, name):
    expected = ("parameter-value-refused", "error", name, f"write {name}=VALUE")
    assert told(f"quiet {name}") == [expected]
    assert told(f"{name} quiet") == [expected]


@pytest.mark.parametrize("name", ["isolcpus", "nohz_full", "hugepages"])
@pytest.mark.parametrize("value", ["2-3", "4", "0,2-3:1/2"])
def test_a_value_behind_a_blank_is_told_with_its_parameter(told, name, value):
    remedy = f"write {name}={value}, without a blank"
    assert told(f"quiet {name} {value}") == [("parameter-value-refused", "error", name, remedy)]


@pytest.mark.parametrize("line", ["rcu_nocbs", "ro", "debug", "nosmt", "maxcpus", "nomodule"])
def test_what_may_stand_bare_is_not_told_so(told, line):
    ids = [(name, remedy) for name, _, _, remedy in told(line)]
    assert not [one for one in ids if "VALUE" in one[1]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("dyndbg", "file drivers/usb/host/xhci.c +p"),
        ("xhci_hcd.dyndbg", "func xhci_probe +p"),
        ("dm-mod.create", DM),
        ("acpi_osi", "Windows 2012"),
    ],
)
def test_a_text_that_lost_its_quotes_is_one_error(told, name, value):
    (found,) = told(f"console=ttyS0 {name}={value} quiet panic=1")
    assert found[:3] == ("quotes-lost", "error", f"{name}={value.partition(' ')[0]}")
    assert found[3].startswith(f'write {name}="{value}"; ')
    assert told(f'console=ttyS0 {name}="{value}" quiet panic=1') == []


def test_numbers_alone_are_no_rest_of_a_text(told):
    """Init takes a number for a runlevel."""
    assert told("dyndbg=+p 3") == []


@pytest.mark.parametrize("word", ["rauc.slot=A", "k3os.mode=install", "frobnicate", "eth0.dhcp"])
def test_a_word_of_no_kernel_is_left_to_user_space(told, word):
    ((name, severity, subject, remedy),) = told(word)
    assert (name, severity, subject) == ("parameter-unknown", "note", word)
    assert remedy.startswith(
        "keep the parameter only if init, or a program that reads /proc/cmdline, needs it"
    )


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("isolcpus= 2-3", "isolcpus=2-3"),
        ("isolcpus=2, 3 quiet", "isolcpus=2,3"),
        ("isolcpus = 2-3", "isolcpus=2-3"),
        ("isolcpus =2-3", "isolcpus=2-3"),
        ("console=ttyS0 115200n8", "console=ttyS0,115200n8"),
        ("root= /dev/sda1", "root=/dev/sda1"),
        ("resume= UUID=1", "resume=UUID=1"),
    ],
)
def test_a_value_with_a_blank_is_written_in_one(told, line, right):
    ((name, severity, subject, remedy),) = told(line)
    assert (name, severity) == ("parameter-value-refused", "error")
    assert (subject, remedy) == (line.partition(" ")[0], f"write {right}, without a blank")


@pytest.mark.parametrize(
    "line", ["console=tty0 3", "isolcpus=2-3 quiet", "root=/dev/vda1 single", "init= my_option=1"]
)
def test_what_stands_behind_a_whole_value_is_none_of_it(told, line):
    assert "parameter-value-refused" not in [name for name, *_ in told(line)]

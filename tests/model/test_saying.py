"""Conditions in words."""

from __future__ import annotations

from advisor.model.condition_parser import parse
from advisor.model.saying import said, shortly

from ..cases import each


@each(
    ("text", "words"),
    [
        (
            "arch = x86 && vendor = intel",
            "the architecture is x86 and the processor's vendor is intel",
        ),
        (
            "present(RCU_LAZY) || kernel >= 6.2",
            "the configuration has a line about RCU_LAZY or the kernel is 6.2 or newer",
        ),
        ("!(HZ_250 && boot(nohz=off))", "HZ_250 is off or nohz=off is not on the boot line"),
        (
            "NUMA && (virtual = guest || efi = y)",
            "NUMA is on and (the kernel runs in a guest or the machine boots by EFI)",
        ),
        (
            "!(kernel >= 5.6) && cpus > 8",
            "the kernel is older than 5.6 and the number of CPUs is above 8",
        ),
        ("HZ >= 250 && idle-loop != poll", "HZ is at least 250 and idle-loop is not poll"),
        ('SOURCE != ""', "SOURCE is not empty"),
        ("A || B || C || D || E || F", "one of A, B, C and 3 others is on"),
        ("!A && !B && !C && !D && !E && !F", "none of A, B, C and 3 others is on"),
        ("!(A || B || C || D || E || F)", "none of A, B, C and 3 others is on"),
        ("!(A && B && C && D && E && F)", "one of A, B, C and 3 others is off"),
        ("arch = x86 || arch = arm64 || arch = s390", "the architecture is x86, arm64 or s390"),
        ("hypervisor = hyperv", "the hypervisor is Hyper-V"),
        ("hypervisor = vmware && hypervisor != hyperv", "the hypervisor is VMware"),
        (
            "NUMA && arch != arm && arch = x86",
            "NUMA is on and the architecture is x86",
        ),
        ("hypervisor != hyperv && NUMA", "the hypervisor is not Hyper-V and NUMA is on"),
    ],
)  # fmt: skip
def test_a_condition_is_said_in_words(text, words):
    assert said(parse(text)) == words


def test_a_number_that_nobody_told_is_said_to_be_so():
    assert said(parse("cpus > 0")) == "the number of CPUs is given"


def test_what_would_take_several_lines_is_told_by_what_it_is_about():
    few = 'SECURITY_APPARMOR && LSM = "*apparmor*"'
    assert shortly(parse(few)) == said(parse(few))
    modules = ("apparmor", "selinux", "smack", "tomoyo")
    many = " || ".join(
        f'SECURITY_{one.upper()} && (LSM = "*{one}*" || DEFAULT_SECURITY_{one.upper()})'
        for one in modules
    )
    assert shortly(parse(many)) == (
        "a combined condition (SECURITY_APPARMOR, LSM, DEFAULT_SECURITY_APPARMOR and 6 more) holds"
    )

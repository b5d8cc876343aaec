"""What a report tells holds together: counts and what is listed, layers and lines."""

from __future__ import annotations

import re

import pytest

from advisor.model.finding import Verdict
from advisor.output import phrases

MEMORY = "CONFIG_SMP=y\nCONFIG_PREEMPT=y\n"


@pytest.mark.parametrize("profile", ["embedded-fastboot", "realtime", "hardening"])
@pytest.mark.parametrize("text", [MEMORY, "CONFIG_NET=y\n"])
def test_what_is_not_known_is_never_an_empty_value(make_report, profile, text):
    report = make_report(profile, text=text, name="fragment")
    told = [phrases.unknown(one) for one in phrases.of(report, Verdict.UNKNOWN)]
    assert len(told) > 5
    assert [text for text in told if not text or text.startswith(";")] == []


def test_a_caution_that_stands_at_a_finding_is_counted_there(run_inside, make_config):
    lines = ("CONFIG_PCI=y", "CONFIG_PCIEPORTBUS=y", "CONFIG_PCIEASPM=y")
    path = make_config(*lines, kernel="6.12.0")
    line = "pcie_aspm=off"
    text = run_inside("audit", str(path), "-p", "power-saving", "--cmdline", line).stdout
    assert text.count("\nWARNING ") == 0
    assert "note   pcie_aspm=off" in text
    assert re.search(r"diagnostics: 1 warning \(1 shown with a finding\)", text)


def test_a_layer_is_named_by_the_line_that_has_the_word(run_inside, make_config):
    lines = ("CONFIG_USB=m", "CONFIG_USB_AUTOSUSPEND_DELAY=2", "CONFIG_PM=y",
             "CONFIG_CMDLINE_BOOL=y", 'CONFIG_CMDLINE="usbcore.autosuspend=-1"')  # fmt: skip
    path = make_config(*lines, kernel="6.12.0")
    args = ("audit", str(path), "-p", "power-saving", "-v")
    text = run_inside(*args).stdout
    assert "layers compiled: 2 seconds; built-in command line: -1" in text
    text = run_inside(*args, "--cmdline", "usbcore.autosuspend=-1").stdout
    assert "layers compiled: 2 seconds; boot line: -1" in text


def test_what_no_input_would_tell_asks_for_none(make_report):
    report = make_report("hardening", text=MEMORY, name="fragment")
    finding = next(one for one in report.findings if one.tunable.sysctl and one.runtime_only)
    known = finding._replace(missing=frozenset())
    assert phrases.missing([known]) == [(f"--sysctl FILE with {finding.tunable.sysctl}", 1)]
    assert phrases.missing([known._replace(runtime_only=False)]) == []
    assert phrases.missing([known._replace(missing=frozenset(("PCI",)))]) == [(phrases.WHOLE, 1)]

"""A finding in the terminal: what to type first, as a shell can take it, and how it lasts."""

import re
import statistics

import pytest

from advisor.output import Style, phrases, text


@pytest.fixture
def shown(make_report):
    def render(*profiles, line=None, width=80, verbose=False):
        # At so narrow a width every command has to go on in a further line.
        return text.render([make_report(*profiles, line=line)], Style(width=width, verbose=verbose))

    return render


def blocks(shown):
    named = re.compile(r"\[([\w-]+)(?:,\s+more:\s+-v)?\]")
    return {name[1]: block for block in shown.split("\n\n") if (name := named.search(block))}


def test_the_first_line_has_the_present_value_and_the_wanted_one(shown):
    found = blocks(shown("desktop-latency", line="quiet preempt=none"))
    assert found["split-lock-mitigation"].startswith(
        "COULD   Split lock mitigation: on (default) -> off\n do "
    )
    head = "SHOULD  Preemption model: none (boot line, column 7) -> "
    assert found["preemption-model"].startswith(head)


def test_the_first_line_calls_values_by_their_names(shown):
    governor = blocks(shown("server-throughput"))["cpufreq-governor"]
    assert "(line 588) -> performance\n do " in governor
    whole = blocks(shown("server-throughput", verbose=True))["cpufreq-governor"]
    assert "performance (the highest clock)" in whole.partition("\n do ")[0]


def test_what_to_do_at_run_time_has_the_line_that_keeps_it(shown):
    block = blocks(shown("desktop-latency"))["split-lock-mitigation"]
    assert " do     until reboot: sysctl -w kernel.split_lock_mitigate=0\n" in block
    assert " keep   in /etc/sysctl.d/: kernel.split_lock_mitigate = 0\n" in block


def test_a_way_to_another_accepted_value_names_that_value(make_report):
    config = "# Linux/x86 6.12.0 Kernel Configuration\nCONFIG_MAGIC_SYSRQ=y\n"
    config += "CONFIG_MAGIC_SYSRQ_DEFAULT_ENABLE=0x0\n"
    report = make_report("diagnosis", text=config, name=".config")
    block = blocks(text.render([report], Style(width=80, verbose=True)))["sysrq-functions"]
    assert " or     on the boot line: sysrq_always_enabled; gives: 1 (all)\n" in block
    assert " or     rebuild with MAGIC_SYSRQ_DEFAULT_ENABLE=0x1be\n" in block


def test_a_setting_of_a_profile_stands_in_one_section_only(make_report):
    config = "# Linux/arm64 6.12.0 Kernel Configuration\nCONFIG_PREEMPT_RT=y\nCONFIG_RCU_BOOST=y\n"
    config += "CONFIG_RCU_EXPERT=y\nCONFIG_TREE_RCU=y\n# CONFIG_NUMA is not set\n"
    report = make_report("realtime", text=config, name=".config")
    shown = text.render([report], Style(width=200, verbose=True))
    titles = re.findall(r"^  - (.*) \((?:must|should|could)\): ", shown, re.MULTILINE)
    assert titles.count("Priority boosting for RCU readers") == 1


def test_what_is_not_known_of_a_known_value_is_said(make_report):
    report = make_report("realtime", text="CONFIG_PREEMPT_RT=n\nCONFIG_SMP=y\n", name="fragment")
    shown = text.render([report], Style(width=200, verbose=True))
    line = next(line for line in shown.splitlines() if "Interrupt handlers as threads" in line)
    assert line.endswith("off; whether to change it depends on IRQ_FORCED_THREADING")


def test_a_long_command_goes_on_as_a_shell_takes_it(shown):
    block = blocks(shown("desktop-latency", width=40))["split-lock-mitigation"]
    (command,) = re.findall(r"until reboot: ((?:.*\\\n)* {8}.*)\n", block)
    assert command.count("\\\n") == 1
    joined = re.sub(r" \\\n *", " ", command).strip()
    assert joined == "sysctl -w kernel.split_lock_mitigate=0"


PROFILES = ("desktop-latency", "server-throughput", "realtime")


def test_a_finding_has_seven_lines_at_80_columns(make_report, real_configs, unpacked):
    lengths = []
    for path in real_configs:
        for profile in PROFILES:
            report = make_report(profile, text=unpacked(path), name=path.name)
            found = blocks(text.render([report], Style(width=80))).values()
            lengths += [block.count("\n") + 1 for block in found if " do " in block]
    assert statistics.median(lengths) <= 7


@pytest.mark.parametrize("profile", PROFILES)
def test_what_the_default_leaves_out_stands_in_the_verbose_report(make_report, profile):
    report = make_report(profile)
    short, whole = (
        " ".join(text.render([report], Style(width=80, verbose=one)).split())
        for one in (False, True)
    )
    assert "more: -v]" in short
    for finding in phrases.to_see(report):
        lines = [phrases.origin(line, report.name) for line in finding.state.origins]
        sources = [source.ref for source in phrases.sources(finding.advice, "x86")]
        cost = phrases.cost(finding.cost, finding.tunable)
        facts = [finding.advice.why, cost, finding.state.why, *sources]
        facts += lines if not finding.tunable.members else []
        assert cost in short
        assert [fact for fact in facts if " ".join(fact.split()) not in whole] == []


def test_members_that_are_not_as_wanted_have_their_lines(shown):
    (now,) = re.findall(r"\n now    (.*)", blocks(shown("server-throughput"))["debug-overhead"])
    assert re.match(r"[A-Z_]+ \(line \d+\)", now)
    whole = blocks(shown("server-throughput", verbose=True))["debug-overhead"].splitlines()
    now = next(number for number, line in enumerate(whole) if line.startswith(" now "))
    assert whole[now + 1].startswith("        - ")

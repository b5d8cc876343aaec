"""A team's own lines (`[policies]`, `[[policy]]`): read, judged, planned, compared and accepted."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from advisor.knowledge.schema import schema

from ..cases import each
from ..work import calls

MODULES = ("CONFIG_MODULES=y", *(f"CONFIG_{name}=m" for name in ("USB", "SND", "XFS_FS", "NFS_FS")))
CONFIG = (
    *MODULES, "CONFIG_X86_64=y", "# CONFIG_HZ_100 is not set", "CONFIG_HZ_250=y",
    "# CONFIG_HZ_1000 is not set", "CONFIG_HZ=250", "CONFIG_E1000E=m", "CONFIG_EXT4_FS=y",
    "# CONFIG_BPF_JIT is not set", "CONFIG_LOG_BUF_SHIFT=17", 'CONFIG_DEFAULT_HOSTNAME="(none)"',
    "CONFIG_NET=y", "CONFIG_BLOCK=y", "CONFIG_AUDIT=y", "CONFIG_RANDOMIZE_BASE=y",
    "CONFIG_CPU_MITIGATIONS=y", "CONFIG_RELOCATABLE=y",
)  # fmt: skip
HZ = '[policies]\nHZ_1000 = { value = "y", reason = "our desktops" }\n'


def policy(about, more=""):
    return f"[[policy]]\n{about}\n{more}\nreason = 'decided'\n"


@pytest.fixture
def settings(tmp_path):
    def write(text, name="kernel-advisor.toml"):
        (tmp_path / name).write_text(text)

    return write


@pytest.fixture
def audit(run_inside, make_config, settings):
    """Runs an audit of a kernel of these lines under these settings, without a profile."""

    def run(text, *options, config=CONFIG, kernel="6.12.43", arch="x86"):
        settings(text)
        path = make_config(*config, kernel=kernel, arch=arch)
        return run_inside("audit", path.name, *options)

    return run


def found(result):
    (report,) = json.loads(result.stdout)["reports"]
    return {one["id"]: one for one in report["findings"]}


def verdict(audit, text, name, *options, **how):
    result = audit(text, *options, "--format", "json", **how)
    return found(result)[f"policy/{name}"]["verdict"], result.code


# --- what is met and what is not ------------------------------------------------------------------


def test_a_policy_that_is_not_met_fails_without_a_profile(audit):
    result = audit(HZ)
    assert result.code == 1
    assert re.search(r"^MUST    HZ_1000: n \(line \d+\) -> y$", result.stdout, re.M)
    assert "[policy/HZ_1000]" in result.stdout
    assert "rebuild with HZ_1000=y instead of HZ_250" in result.stdout
    assert "our desktops (kernel-advisor.toml:2)" in result.stdout


def symbol(name, value):
    return f"[policies]\n{name} = {{ {value}, reason = 'r' }}"


LINE, AUDIT, SWAPPINESS = "--cmdline", "parameter = 'audit'", "sysctl = 'vm.swappiness'"
NOKASLR = "name = 'a'\ncondition = 'EXT4_FS && !boot(nokaslr)'"


@each(
    ("text", "name", "options", "is_met"),
    [
        (symbol("HZ_250", "value = 'y'"), "HZ_250", (), True),
        (symbol("CONFIG_E1000E", "value = 'm'"), "E1000E", (), True),
        (symbol("E1000E", "value = 'y'"), "E1000E", (), False),
        (symbol("E1000E", "values = ['y', 'm']"), "E1000E", (), True),
        (symbol("EXT4_FS", "value = 'm'"), "EXT4_FS", (), False),
        (symbol("DEBUG_KERNEL", "value = 'n'"), "DEBUG_KERNEL", (), True),
        (symbol("HZ", "value = 250"), "HZ", (), True),
        (symbol("LOG_BUF_SHIFT", "value = '18..'"), "LOG_BUF_SHIFT", (), False),
        (symbol("LOG_BUF_SHIFT", "value = '16..20'"), "LOG_BUF_SHIFT", (), True),
        (symbol("DEFAULT_HOSTNAME", "value = 'us'"), "DEFAULT_HOSTNAME", (), False),
        (policy("parameter = 'quiet'"), "quiet", (LINE, "quiet"), True),
        (policy("parameter = 'quiet'"), "quiet", (LINE, "splash"), False),
        (policy(AUDIT, "value = 1"), "audit", (LINE, "audit=1"), True),
        (policy(AUDIT, "value = 1"), "audit", (LINE, "audit=1 audit=0"), False),
        (
            policy("sysctl = 'vm/swappiness'", "value = 10"),
            "vm.swappiness",
            ("--sysctl", "s"),
            True,
        ),
        (policy(SWAPPINESS, "value = '0..5'"), "vm.swappiness", ("--sysctl", "s"), False),
        (policy(NOKASLR), "a", (LINE, "quiet"), True),
        (policy(NOKASLR), "a", (LINE, "nokaslr"), False),
        (policy("name = 'a'\ncondition = 'timer-frequency = 250'"), "a", (), True),
    ],
)
def test_each_kind_is_judged_on_the_effective_state(audit, settings, text, name, options, is_met):
    settings("vm.swappiness = 10\n", "s")
    met = ("ok", 0) if is_met else ("change", 1)
    assert verdict(audit, text, name, *options) == met


@each(
    ("text", "name"),
    [
        (policy("parameter = 'quiet'"), "quiet"),
        (policy("parameter = 'audit'", "value = 1"), "audit"),
        (policy("name = 'a'\ncondition = '!boot(nokaslr)'"), "a"),
        (policy("sysctl = 'vm.swappiness'", "value = 10"), "vm.swappiness"),
    ],
)
def test_what_nobody_told_stays_unknown(audit, text, name):
    assert verdict(audit, text, name) == ("unknown", 0)


def test_a_word_of_the_built_in_line_counts(audit):
    built_in = ("CONFIG_CMDLINE_BOOL=y", 'CONFIG_CMDLINE="audit=1"')
    text = policy("parameter = 'audit'", "value = 1")
    assert verdict(audit, text, "audit", "--cmdline", "quiet", config=(*CONFIG, *built_in)) == (
        "ok", 0,
    )  # fmt: skip


def test_a_fragment_leaves_open_what_it_does_not_name(audit):
    text = '[policies]\nXFS_QUOTA = { value = "y", reason = "r" }'
    assert verdict(audit, text, "XFS_QUOTA", "--partial") == ("unknown", 0)


def test_a_symbol_under_its_old_name_and_one_that_others_replaced_are_met(audit):
    text = '[policies]\nPERF_COUNTERS = { value = "y", reason = "r" }\n'
    text += 'NF_NAT_IPV4 = { value = "m", reason = "r" }'
    result = audit(text, config=(*CONFIG, "CONFIG_PERF_EVENTS=y", "CONFIG_NF_NAT=m"))
    assert result.code == 0
    assert "2 already right" in result.stdout


def test_a_symbol_of_another_architecture_is_not_applicable(audit):
    text = '[policies]\nARM64_VA_BITS_48 = { value = "y", reason = "r" }'
    assert verdict(audit, text, "ARM64_VA_BITS_48") == ("not-applicable", 0)


def test_what_this_kernel_cannot_have_fails(audit):
    text = '[policies]\nPREEMPT_LAZY = { value = "y", reason = "r" }'
    assert verdict(audit, text, "PREEMPT_LAZY", kernel="6.6.1") == ("blocked", 1)


def test_no_line_is_offered_for_what_has_no_prompt(audit):
    text = '[policies]\nHZ = { value = 1000, reason = "r" }'
    assert verdict(audit, text, "HZ") == ("blocked", 1)
    assert (
        "HZ has no prompt in this kernel: other options determine its value" in audit(text).stdout
    )


def test_a_module_that_has_to_be_one_is_made_one(audit):
    text = '[policies]\nEXT4_FS = { value = "m", reason = "r" }'
    assert "rebuild with EXT4_FS=m" in audit(text).stdout


# --- which configurations -------------------------------------------------------------------------


def test_a_path_says_for_which_configurations_it_is(run_inside, make_config, settings):
    settings(
        '[policies]\nHZ_250 = { value = "y", reason = "servers" }\n'
        '[[policy]]\nsymbol = "HZ_250"\nvalue = "n"\nreason = "desktops"\npath = "desk*"\n'
    )
    for name in ("desktop", "server"):
        make_config(*CONFIG, name=name, kernel="6.12.43")
    result = run_inside("audit", "server", "desktop", "--format", "json")
    verdicts = [
        [(one["verdict"], one["why"][:6]) for one in report["findings"]]
        for report in json.loads(result.stdout)["reports"]
    ]
    assert verdicts == [[("ok", "server")], [("change", "deskto")]]


def test_a_file_of_policies_is_read(audit, settings):
    settings(HZ, "more.toml")
    result = audit('policy-files = ["more.toml"]\n')
    assert result.code == 1
    assert "our desktops (more.toml:2)" in result.stdout


# --- remedies -------------------------------------------------------------------------------------


def test_the_fragment_without_a_profile_ends_the_finding(run_inside, make_config, settings):
    settings(HZ + 'LOG_BUF_SHIFT = { value = "18..20", reason = "as CONFIG_FOO=y says" }\n')
    path = make_config(*CONFIG, kernel="6.12.43")
    fragment = run_inside("fragment", path.name)
    assert fragment.code == 0
    lines = [line for line in fragment.stdout.splitlines() if "CONFIG_" in line]
    assert lines[0] == "CONFIG_HZ_1000=y"
    assert "# CONFIG_HZ_250 is not set" in lines
    assert "CONFIG_LOG_BUF_SHIFT=18" in lines
    assert not any("FOO" in line for line in lines)
    (path.parent / "out.fragment").write_text(fragment.stdout)
    merged = run_inside("audit", path.name, "out.fragment", "--merge")
    assert (merged.code, "2 already right" in merged.stdout) == (0, True)


def test_the_boot_line_gets_its_word_and_loses_another(run_inside, make_config, settings):
    settings(policy("parameter = 'mitigations'", "values = ['auto', 'auto,nosmt']"))
    path = make_config(*CONFIG, kernel="6.12.43")
    result = run_inside("cmdline", path.name, "--cmdline", "quiet mitigations=off")
    assert (result.code, result.stdout) == (0, "quiet mitigations=auto\n")


def test_a_plan_sets_the_sysctl(run_inside, make_config, settings):
    settings(policy("sysctl = 'kernel.kptr_restrict'", "value = '1..2'"))
    path = make_config(*CONFIG, kernel="6.12.43")
    result = run_inside("plan", path.name)
    assert "in /etc/sysctl.d/: kernel.kptr_restrict = 1" in result.stdout


# --- accepted, compared, written ------------------------------------------------------------------


def test_a_waiver_accepts_it(audit):
    waiver = '[[waiver]]\nrule = "policy/HZ_1000"\nreason = "not yet"\n'
    result = audit(HZ + waiver)
    assert result.code == 0
    assert "waived: 1" in result.stdout


def test_a_waiver_of_no_policy_is_an_error(audit):
    result = audit(HZ + '[[waiver]]\nrule = "policy/HZ_100"\nreason = "r"\n')
    assert result.code == 4
    assert "did you mean policy/HZ_1000" in result.stderr


def test_a_baseline_knows_it(run_inside, make_config, settings):
    settings(HZ)
    path = make_config(*CONFIG, kernel="6.12.43")
    run_inside("baseline", path.name, "--output", "b.json")
    entries = json.loads((path.parent / "b.json").read_text())["findings"]
    assert [(one["id"], one["state"]) for one in entries] == [("policy/HZ_1000", ["n"])]
    assert run_inside("audit", path.name, "--baseline", "b.json").code == 0


FULL = (
    '[policies]\nHZ_1000 = { value = "y", reason = "our desktops", owner = "kernel team", '
    'source = "https://example.org/why" }\n'
)


@each("form", ["text", "markdown", "html", "json", "sarif", "github", "gitlab", "junit"])
def test_every_format_has_reason_owner_and_source(audit, form):
    result = audit(FULL, "--format", form, *["--verbose"] * (form == "text"))
    assert result.code == 1
    for part in ("HZ_1000", "our desktops", "kernel team"):
        assert part in result.stdout
    if form not in ("github", "gitlab"):
        assert "https://example.org/why" in result.stdout


def test_json_is_as_its_schema_says(audit):
    result = audit(FULL, "--format", "json")
    jsonschema.validate(json.loads(result.stdout), schema("report", "advisor.output"))


def test_the_fingerprint_goes_by_name_and_path_alone(audit):
    texts = (HZ, "\n\n" + FULL, '[[policy]]\nsymbol = "HZ_1000"\nvalue = "y"\nreason = "other"\n')
    keys = set()
    for text in texts:
        (run,) = json.loads(audit(text, "--format", "sarif").stdout)["runs"]
        (one,) = [each for each in run["results"] if each["ruleId"] == "policy/HZ_1000"]
        keys.add((one["partialFingerprints"]["kernelAdvisor/v1"], one["level"]))
    assert len(keys) == 1
    assert keys.pop()[1] == "error"


def test_a_diff_names_a_policy_that_is_lost(run_inside, make_config, settings):
    settings('[policies]\nE1000E = { value = "m", reason = "our servers" }\n')
    old = make_config(*CONFIG, name="old", kernel="6.6.1")
    lost = [line for line in CONFIG if "E1000E" not in line]
    new = make_config(*lost, "# CONFIG_E1000E is not set", name="new", kernel="6.12.43")
    result = run_inside("diff", old.name, new.name)
    assert result.code == 1
    assert "WORSE   E1000E\n" in result.stdout
    assert "[policy/E1000E]" in result.stdout
    assert "our servers" in result.stdout


def test_it_stands_beside_a_profile(audit):
    result = audit(HZ, "-p", "server-throughput", "--format", "json")
    assert result.code == 1
    assert {"policy", "server-throughput"} == {one.partition("/")[0] for one in found(result)}


@each("value", ["n", "y"])
def test_a_policy_and_a_profile_that_undo_each_other_are_told(audit, widgets, value):
    own = f'WIDGET = {{ value = "{value}", reason = "as we say", out-of-tree = true }}'
    config = (*CONFIG, "# CONFIG_WIDGET is not set")
    result = audit(f"[policies]\n{own}\n", *widgets, config=config)
    assert result.code == 1
    conflict = result.stdout.partition("CONFLICT ")[2].partition("\n\n")[0]
    assert ("policy wants n. as we say" in conflict) is (value == "n")
    waiver = '[[waiver]]\nrule = "widgets/widget"\nreason = "r"\n'
    assert "CONFLICT" not in audit(f"[policies]\n{own}\n{waiver}", *widgets, config=config).stdout


def test_where_a_condition_is_false_it_asks_for_nothing(audit):
    text = '[policies]\nHZ_1000 = { value = "y", reason = "r", when = "arch = arm64" }'
    assert verdict(audit, text, "HZ_1000") == ("not-applicable", 0)
    assert verdict(audit, text.replace("arm64", "x86"), "HZ_1000") == ("change", 1)


def test_a_host_is_read_for_the_sysctls_of_policies(run_inside, make_config, settings, tmp_path):
    settings(policy("sysctl = 'kernel.core_uses_pid'", "value = 1"))
    host = tmp_path / "host"
    (host / "proc/sys/kernel").mkdir(parents=True)
    (host / "proc/sys/kernel/core_uses_pid").write_text("0\n")
    (host / "proc/sys/kernel/osrelease").write_text("6.12.43\n")
    make_config(*CONFIG, name="host/proc/config", kernel="6.12.43")
    (host / "boot").mkdir()
    (host / "proc/config").rename(host / "boot/config-6.12.43")
    result = run_inside("audit", "--host", "host", "--format", "json")
    assert found(result)["policy/kernel.core_uses_pid"]["verdict"] == "change"


# --- in review ------------------------------------------------------------------------------------


@pytest.fixture
def clone(repository, whole):
    """A repository with a policy, and a branch on which its configuration breaks that."""
    files = {"kernel-advisor.toml": HZ.replace("1000", "250"), "a.config": whole(*CONFIG)}
    repository.commit(files)
    repository.git("checkout", "--quiet", "-b", "topic")
    other = [line.replace("CONFIG_HZ_250=y", "# CONFIG_HZ_250 is not set") for line in CONFIG]
    other += ["CONFIG_HZ_300=y"]
    repository.commit({"a.config": whole(*other)})
    return repository


@pytest.fixture
def review(clone, run_inside):
    def run(*words):
        return run_inside("review", "main", "topic", *words, cwd=clone.root)

    return run


def test_a_review_names_the_policy_that_breaks(review):
    result = review()
    assert result.code == 1
    assert "WORSE   HZ_250\n" in result.stdout
    assert "[policy/HZ_250]" in result.stdout


@each(
    ("text", "told"),
    [
        ("", "policy/HZ_250 is gone"),
        ('[policies]\nHZ_250 = { value = "n", reason = "r" }', "policy/HZ_250: y -> n"),
        ('[policies]\nHZ_250 = { value = "y", reason = "r", path = "b*" }', "y -> y on b*"),
        (
            HZ.replace("1000", "250")
            + '[[policy]]\nsymbol = "HZ_250"\nvalue = "n"\npath = "a*"\nreason = "r"',
            "y -> y, n on a*",
        ),
    ],
)
def test_a_change_cannot_weaken_the_policies_that_judge_it(review, clone, text, told):
    clone.commit({"kernel-advisor.toml": text})
    document = json.loads(review("--format", "json").stdout)
    (weaker,) = document["policy"]["items"]
    assert (weaker["id"], told in weaker["message"]) == ("policy-weaker", True)
    assert review().code == 1
    assert "[policy/HZ_250]" in review().stdout


def test_a_new_policy_and_another_reason_are_told_and_do_not_fail(review, clone):
    clone.git("checkout", "--quiet", "main")
    clone.git("checkout", "--quiet", "-B", "topic")
    text = HZ.replace("1000", "250").replace("our desktops", "all machines")
    clone.commit({"kernel-advisor.toml": text + 'NET = { value = "y", reason = "r" }\n'})
    result = review("--format", "json")
    assert result.code == 0
    items = json.loads(result.stdout)["policy"]["items"]
    assert [one["id"] for one in items] == ["policy-changed", "policy-changed"]


# --- mistakes -------------------------------------------------------------------------------------


@each(
    ("text", "line", "told"),
    [
        ('[policies]\nHZ_1OOO = { value = "y", reason = "r" }', 2, "no kernel that was read has"),
        ('[policies]\nEXT4_FSS = { value = "y", reason = "r" }', 2, "did you mean EXT4_FS"),
        ('[policies]\nHZ_1000 = { value = "m", reason = "r" }', 2, "takes y or n, not 'm'"),
        ('[policies]\nHZ = { value = "y", reason = "r" }', 2, "takes a number, or a range"),
        ('[policies]\nHZ = { value = "9..1", reason = "r" }', 2, "takes a number, or a range"),
        ('[policies]\nHZ_1000 = { value = true, reason = "r" }', 2, "a text or a number"),
        ('[policies]\nHZ_1000 = { value = "y" }', 2, "needs a reason, or a source"),
        ('[policies]\nHZ_1000 = "y"', 2, 'write HZ_1000 = { value = "y", reason = "..." }'),
        ('[policies]\nHZ_1000 = { valu = "y", reason = "r" }', 2, "did you mean value"),
        ('[policies]\nHZ_1000 = { reason = "r" }', 2, "needs a value"),
        ("[[policies]]\nHZ_1000 = 'y'", 1, "a table: [policies]"),
        (policy("symbol = 'HZ_1000'\nparameter = 'nohz'"), 1, "has symbol and parameter"),
        (policy("value = 'y'"), 1, "but this policy has none"),
        (policy("condition = 'HZ >'\nname = 'a'"), 1, "cannot be read"),
        (policy("condition = 'HZ_1000'"), 1, "needs a name"),
        (policy("condition = 'tick-mood = idle'\nname = 'a'"), 1, "did you mean tick-mode"),
        (policy("condition = 'NO_SUCH_THING'\nname = 'a'"), 1, "has the symbol NO_SUCH_THING"),
        (policy("sysctl = 'vm.swapiness'\nvalue = 1"), 1, "did you mean vm.swappiness"),
        (policy("sysctl = 'vm.swappiness'\nvalue = 900"), 1, "takes 0 to 200"),
        (policy("parameter = 'mitigatons'\nvalue = 'off'"), 1, "did you mean mitigations"),
        (policy("parameter = 'audit'\nvalue = '1 quiet'"), 1, "cannot contain blanks"),
        (policy("sysfs = '/etc/x'\nvalue = 1\nname = 'a'"), 1, "not a file below /sys"),
        (policy("symbol = 'NET'\nvalue = 'y'\nname = 'ü'"), 1, "letters, digits"),
        (policy("symbol = 'NET'\nvalue = \"a\\u0000b\""), 1, "control character"),
        (HZ + policy("symbol = 'HZ_1000'\nvalue = 'y'"), 3, "exists already in "
            "kernel-advisor.toml:2"),
        ('[policies]\nNET = { value = "y", reason = "r", when = "HZ >" }', 2, "cannot be read"),
        (HZ + 'HZ_250 = { value = "y", reason = "r" }', 3, "members of one choice"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_line_and_what_to_write(audit, text, line, told):
    result = audit(text)
    assert (result.code, result.stdout) == (4, "")
    assert f"kernel-advisor.toml:{line}: " in result.stderr
    assert told in result.stderr


def test_a_symbol_of_a_patch_is_allowed_where_it_is_said_to_be_one(audit):
    text = '[policies]\nOUR_PATCH = { value = "y", reason = "r", out-of-tree = true }'
    assert audit(text, config=(*CONFIG, "CONFIG_OUR_PATCH=y")).code == 0
    assert audit(text).code == 1


def test_all_mistakes_are_told_at_once(audit):
    text = "[policies]\n" + "".join(
        f'NO_SUCH_{n} = {{ value = "y", reason = "r" }}\n' for n in range(9)
    )
    assert len(audit(text).stderr.splitlines()) == 9


def test_ten_thousand_policies_take_work_that_grows_with_their_number(audit):
    def run(number):
        lines = (
            f'UNRELATED_{n} = {{ value = "n", reason = "r", out-of-tree = true }}'
            for n in range(number)
        )
        result = audit("\n".join(("[policies]", *lines)))
        assert result.code == 0

    few, many = calls(lambda: run(1000)), calls(lambda: run(10_000))
    assert many < 12 * few

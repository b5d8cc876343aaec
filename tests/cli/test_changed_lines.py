"""Every changed line of a fragment is accounted for: by diff, by review, and in a tree."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from advisor.knowledge import schema

X86 = Path(__file__).parents[2] / "examples/x86_64-6.12.config.xz"
# A line that says what is so anyway, so that no side is empty.
KEPT = "CONFIG_NET=y\n"
PROFILE = ("-p", "server-throughput")
# A line, what becomes of it beside the example's configuration (6.12, x86), its diagnostic, and
# the lines to write instead (None: nobody knows).
BY_BASE = {
    "CONFIG_PSI=y": ("exists", None, None),
    "CONFIG_MODULES=y": ("already", None, None),
    "# CONFIG_NF_NAT_IPV4 is not set": ("already", None, None),
    "CONFIG_RETPOLINE=y": ("renamed", "symbol-stale", ["CONFIG_MITIGATION_RETPOLINE=y"]),
    "CONFIG_842_COMPRESS=y": ("void", "symbol-void", []),
    "CONFIG_BPF_JIT_ALWAYS_ON=y": ("dropped", "symbol-dropped", None),
    "CONFIG_PSI=m": ("dropped", "symbol-dropped", None),
    "CONFIG_NF_NAT_IPV4=y": ("renamed", "symbol-removed", ["CONFIG_NF_NAT=y"]),
    "CONFIG_LOCK_DOWN_KERNEL=y": ("renamed", "symbol-stale", ["CONFIG_SECURITY_LOCKDOWN_LSM=y"]),
    "CONFIG_MICROCODE_INTEL=y": ("absent", "symbol-removed", []),
    "CONFIG_BLK_DEV_RSXX=y": ("absent", "symbol-removed", []),
    "CONFIG_ARM64_PAN=y": ("absent", "symbol-other-arch", []),
    "CONFIG_NO_SUCH_THING=y": ("unknown", "symbol-unknown", None),
    "CONFIG_DEBUG_KERNELL=y": ("unknown", "symbol-unknown", ["CONFIG_DEBUG_KERNEL=y"]),
}
KCONFIG = """\
config MODULES
	def_bool y
config PSI
	bool "Pressure"
config NET
	bool "Networking"
config HELD
	bool "Held"
	depends on PSI
config BARE
	bool
config BASE
	bool "Base"
config ABOVE
	bool "Above"
	depends on BASE
config OLDER
	bool "Older"
	depends on !NET
config MITIGATION_RETPOLINE
	bool "Retpolines"
"""
IN_TREE = {
    "CONFIG_PSI=y": ("effective", None, None),
    "CONFIG_MODULES=y": ("already", None, None),
    "CONFIG_RETPOLINE=y": ("renamed", "symbol-stale", ["CONFIG_MITIGATION_RETPOLINE=y"]),
    "CONFIG_BARE=y": ("void", "symbol-void", []),
    "CONFIG_ABOVE=y": ("dropped", "symbol-dropped", ["CONFIG_BASE=y", "CONFIG_ABOVE=y"]),
    # No line that takes something away is offered for one that asks for something.
    "CONFIG_OLDER=y": ("dropped", "symbol-dropped", None),
    "CONFIG_NF_NAT_IPV4=y": ("absent", "symbol-removed", []),
    "CONFIG_NO_SUCH_THING=y": ("unknown", "symbol-unknown", []),
}


@pytest.fixture(scope="module")
def base_text():
    return lzma.decompress(X86.read_bytes()).decode()


@pytest.fixture
def diffed(run_inside, tmp_path, base_text):
    """`diff --base` of two fragments; the comparison and the exit code."""

    def run(old, new, *words, base=base_text):
        for name, text in (("old.config", old), ("new.config", new), ("base", base)):
            (tmp_path / name).write_text(f"{KEPT}{text}\n" if name != "base" else text)
        command = ("diff", "old.config", "new.config", "--base", "base", *PROFILE, *words)
        result = run_inside(*command, "-f", "json")
        document = json.loads(result.stdout)
        assert list(schema.problems("diff", document, "advisor.output")) == []
        return document, result.code

    return run


@pytest.fixture
def reviewed(repository, run_inside, monkeypatch, base_text):
    """A review of a changed fragment in a repository, in one format."""

    def run(old, new, *words, name="fragments/server.config"):
        repository.commit({"configs/x86.config": base_text, name: f"{KEPT}{old}\n"})
        repository.git("checkout", "--quiet", "-b", "topic")
        repository.commit({name: f"{KEPT}{new}\n"})
        monkeypatch.chdir(repository.root)
        command = ("review", "main", *PROFILE, "--base-config", "configs/x86.config", *words)
        result = run_inside(*command, "-f", "json", "--write", "text=out.txt")
        return json.loads(result.stdout), result.code

    return run


def told(lines):
    return [(line["kind"], line["rule"], line["instead"]) for line in lines]


def errors(comparison):
    return [item["id"] for item in comparison["appeared"] if item["severity"] == "error"]


@pytest.mark.parametrize(("line", "account"), BY_BASE.items())
def test_a_line_beside_its_base(diffed, line, account):
    comparison, code = diffed("", line)
    assert told(comparison["lines"]) == [account]
    assert errors(comparison) == [account[1]] * bool(account[1])
    assert code == bool(account[1])
    (one,) = comparison["lines"]
    assert (one["path"], one["line"]) == ("new.config", 2)


@pytest.mark.parametrize(("line", "account"), BY_BASE.items())
def test_a_line_in_a_review(reviewed, line, account):
    document, code = reviewed("", line)
    (file,) = document["files"]
    assert told(file["comparison"]["lines"]) == [account]
    assert (file["failed"], code) == (bool(account[1]), bool(account[1]))
    places = [
        (item["id"], item["path"], item["line"])
        for item in file["report"]["diagnostics"]
        if item["severity"] == "error"
    ]
    assert places == [(account[1], "fragments/server.config", 2)] * bool(account[1])


@pytest.mark.parametrize(("line", "account"), IN_TREE.items())
def test_a_line_in_a_tree(diffed, make_tree, make_config, tmp_path, line, account):
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
    lines = ("CONFIG_MODULES=y", "CONFIG_NET=y", *(f"# CONFIG_{n} is not set" for n in ("PSI",)))
    base = make_config(*lines, name="scratch").read_text()
    comparison, code = diffed("", line, "--tree", tree, base=base)
    assert told(comparison["lines"]) == [account]
    assert errors(comparison) == [account[1]] * bool(account[1])
    assert code == bool(account[1])
    assert bool(account[1]) is ("lines without effect: 1" in comparison["verdict"])


def test_a_line_in_a_review_in_a_tree(reviewed, make_tree, tmp_path):
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
    _, code = reviewed("", "CONFIG_RETPOLINE=y", "--tree", tree)
    text = Path("out.txt").read_text()
    assert code == 1
    assert "none fails" not in text
    assert "RETPOLINE is called MITIGATION_RETPOLINE in this tree" in text


def test_a_line_that_was_taken_out_and_one_that_stays(diffed):
    comparison, code = diffed("CONFIG_PSI=y\nCONFIG_NO_SUCH_THING=y", "CONFIG_NO_SUCH_THING=y")
    (line,) = comparison["lines"]
    assert (line["kind"], line["old"], line["asked"], line["value"]) == (
        "taken-out",
        "y",
        None,
        "n",
    )
    assert (errors(comparison), code) == ([], 0)


def test_a_hidden_symbol_may_be_shown_by_other_lines(diffed):
    """Without a tree nobody can tell then, and nothing is claimed."""
    comparison, code = diffed("", "CONFIG_BPF_JIT=y\nCONFIG_BPF_JIT_ALWAYS_ON=y")
    assert [line["kind"] for line in comparison["lines"]] == ["exists", "exists"]
    assert "hidden in the base" in comparison["lines"][1]["why"]
    assert code == 0


def test_a_value_that_follows_from_another_line_is_no_void_one(diffed):
    fragment = "CONFIG_HZ_1000=y\n# CONFIG_HZ_250 is not set\nCONFIG_HZ=1000"
    comparison, _ = diffed("", fragment)
    assert {line["kind"] for line in comparison["lines"]} <= {"exists", "already"}


def test_a_line_that_comes_to_nothing_moves_nothing(diffed):
    comparison, _ = diffed("", "CONFIG_NO_SUCH_THING=y\nCONFIG_RETPOLINE=y")
    assert (comparison["symbols"], comparison["settings"]) == ([], [])


def test_every_format_has_the_line(reviewed):
    formats = ("text", "markdown", "html", "github", "gitlab", "junit", "sarif")
    words = [word for name in formats for word in ("--write", f"{name}={name}")]
    _, code = reviewed("", "CONFIG_NO_SUCH_THING=y", *words)
    assert code == 1
    texts = {name: Path(name).read_text() for name in formats}
    assert [name for name, text in texts.items() if "symbol-unknown" not in text] == []
    plain = {name: text.replace("&#95;", "_") for name, text in texts.items()}
    assert [name for name, text in plain.items() if "NO_SUCH_THING" not in text] == []


def test_a_new_fragment_fails_too(repository, run_inside, monkeypatch, base_text):
    monkeypatch.chdir(repository.root)
    repository.commit({"configs/x86.config": base_text})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"fragments/new.config": "CONFIG_NO_SUCH_THING=y\n"})
    words = ("review", "main", *PROFILE, "--base-config", "configs/x86.config")
    result = run_inside(*words, "--write", "json=out.json")
    assert result.code == 1
    assert "- NO_SUCH_THING=y (fragments/new.config:1): unknown" in result.stdout
    (file,) = json.loads(Path("out.json").read_text())["files"]
    assert told(file["lines"]) == [BY_BASE["CONFIG_NO_SUCH_THING=y"]]
    assert (
        list(schema.problems("review", json.loads(Path("out.json").read_text()), "advisor.output"))
        == []
    )
    assert "symbol-unknown (fragments/new.config:1)" in result.stdout


def test_a_line_of_a_whole_configuration_is_warned_of(reviewed, base_text):
    """Kconfig may have written it, with a patch that nobody read."""
    changed = base_text.replace("CONFIG_NET=y\n", "CONFIG_NET=y\nCONFIG_RETPOLINE=y\n")
    document, code = reviewed(base_text, changed, name="configs/other.config")
    (file,) = document["files"]
    found = [(d["id"], d["severity"]) for d in file["comparison"]["appeared"]]
    assert (found, code) == ([("symbol-stale", "warning")], 0)


@pytest.mark.parametrize(
    ("kernels", "compilers"), [(("6.6.16", "6.6.48"), "AA"), (("6.6.48", "6.6.48"), "AB")]
)
def test_what_kconfig_wrote_anew_is_not_to_be_taken_out(
    repository, run_inside, make_config, monkeypatch, kernels, compilers
):
    """6.6.y got CPU_MITIGATIONS and MITIGATION_RFDS; no release between 6.1 and 6.8 was read."""
    monkeypatch.chdir(repository.root)
    lines = ("", "CONFIG_CPU_MITIGATIONS=y\nCONFIG_MITIGATION_RFDS=y")
    for own, kernel, compiler in zip(lines, kernels, compilers, strict=True):
        text = f'CONFIG_CC_VERSION_TEXT="{compiler}"\n{own}'
        repository.commit({"a.config": make_config(text, kernel=kernel).read_text()})
    (file,) = json.loads(run_inside("review", "HEAD~1", "-f", "json").stdout)["files"]
    assert (file["comparison"]["appeared"], file["edits"]) == ([], [])


def test_what_may_be_a_backport_is_not_to_be_taken_out_by_a_click(
    repository, run_inside, make_config, monkeypatch
):
    monkeypatch.chdir(repository.root)
    base = make_config("CONFIG_X86_64=y", kernel="6.6.48").read_text()
    repository.commit({"base.config": base, "f.config": KEPT})
    repository.commit({"f.config": f"{KEPT}CONFIG_MITIGATION_RFDS=y\n"})
    words = ("review", "HEAD~1", "--base-config", "base.config", "-f", "json")
    (file,) = json.loads(run_inside(*words).stdout)["files"]
    (told,) = file["comparison"]["appeared"]
    assert (told["id"], told["severity"], file["edits"]) == ("symbol-removed", "warning", [])
    assert "check whether this kernel has the symbol" in told["remedy"]


def test_a_line_of_a_whole_configuration_that_the_tree_drops_fails(
    repository, run_inside, make_config, make_tree, monkeypatch, tmp_path
):
    monkeypatch.chdir(repository.root)
    tree = make_tree(tmp_path / "tree", {"Kconfig": KCONFIG}, "6.12.0")
    text = make_config("CONFIG_MODULES=y", "CONFIG_NET=y", name="scratch").read_text()
    repository.commit({"a.config": text})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"a.config": text + "CONFIG_ABOVE=y\n"})
    result = run_inside("review", "main", *PROFILE, "--tree", tree)
    assert result.code == 1
    assert "symbol-dropped (a.config:" in result.stdout
    assert "ABOVE needs BASE" in result.stdout


def test_no_profile_is_unchanged_above_a_lost_driver(diffed, base_text):
    driver = next(
        line[7:-2] for line in base_text.split("# Device Drivers\n")[1].split("\n")
        if line.startswith("CONFIG_E1000") and line.endswith("=y")
    )  # fmt: skip
    comparison, code = diffed("", f"# CONFIG_{driver} is not set")
    assert {"symbol": driver, "area": "drivers", "gone": False} in comparison["losses"]
    assert "unchanged" not in comparison["verdict"]
    assert "lost: drivers 1" in comparison["verdict"]
    assert code == 0


@pytest.mark.parametrize("words", [(), PROFILE])
def test_what_is_lost_has_a_headline_of_its_own(run_inside, tmp_path, base_text, words):
    off = ("EXT4_FS", "CPU_MITIGATIONS")
    (tmp_path / "base").write_text(base_text)
    (tmp_path / "f").write_text("".join(f"# CONFIG_{name} is not set\n" for name in off))
    text = run_inside("diff", "base", "f", *words).stdout
    assert text.startswith("worse     security features lost: CPU_MITIGATIONS\n")
    first = text.partition("\nold ")[0]
    assert "file systems: EXT4_FS" in first


def edits(file):
    return [(edit["line"], edit["was"], edit["now"]) for edit in file["edits"]]


def test_the_remedy_is_the_change_of_the_line(reviewed):
    """The choice goes back to an accepted member; run time and boot line stand below."""
    document, _ = reviewed("", "CONFIG_PREEMPT=y", "--write", "markdown=md", "--write", "github=gh")
    (file,) = document["files"]
    assert edits(file) == [(2, "CONFIG_PREEMPT=y", ["CONFIG_PREEMPT_VOLUNTARY=y"])]
    fence = "```diff\n-CONFIG_PREEMPT=y\n+CONFIG_PREEMPT_VOLUNTARY=y\n```\n"
    assert fence in Path("md").read_text()
    text = Path("out.txt").read_text()
    assert text.index(" do     in line 2 of fragments/server.config") < text.index("\n or     ")
    (mark,) = [line for line in Path("gh").read_text().splitlines() if "preemption-model" in line]
    assert mark.index("Remedy: in line 2 of fragments/server.config write") < mark.index("Or: ")


def test_the_change_of_the_line_closes_the_finding(reviewed, repository, run_inside, monkeypatch):
    fragment = "CONFIG_PREEMPT=y\nCONFIG_RETPOLINE=y\nCONFIG_NF_NAT_IPV4=y"
    (file,) = reviewed("", fragment)[0]["files"]
    path = repository.root / file["path"]
    lines = path.read_text().split("\n")
    for edit in reversed(file["edits"]):
        assert lines[edit["line"] - 1] == edit["was"]
        lines[edit["line"] - 1 : edit["line"]] = edit["now"]
    repository.commit({file["path"]: "\n".join(lines)})
    words = ("review", "main", *PROFILE, "--base-config", "configs/x86.config", "-f", "json")
    again = run_inside(*words)
    (file,) = json.loads(again.stdout)["files"]
    assert (again.code, edits(file)) == (0, [])
    assert "worse" not in file["verdict"]


def test_a_line_that_the_change_did_not_bring_is_not_edited(reviewed):
    kept = "CONFIG_PREEMPT=y\nCONFIG_RETPOLINE=y\n"
    document, code = reviewed(kept, f"{kept}CONFIG_PSI=y")
    (file,) = document["files"]
    assert (edits(file), code) == ([], 0)


def test_a_fragment_without_a_base_has_its_line_changed_too(repository, run_inside, monkeypatch):
    monkeypatch.chdir(repository.root)
    repository.commit({"f.config": KEPT})
    repository.git("checkout", "--quiet", "-b", "topic")
    repository.commit({"f.config": f"{KEPT}CONFIG_PREEMPT=y\n"})
    words = ("review", "main", *PROFILE, "--kernel", "6.12", "--arch", "x86", "-f", "json")
    (file,) = json.loads(run_inside(*words).stdout)["files"]
    assert [edit["was"] for edit in file["edits"]] == ["CONFIG_PREEMPT=y"]


def test_no_line_ends_the_fence_of_a_diff(reviewed):
    line = 'CONFIG_DEFAULT_HOSTNAMEE="``` ```` <!-- @all"'
    document, _ = reviewed("", line, "--write", "markdown=md")
    (file,) = document["files"]
    assert [edit["was"] for edit in file["edits"]] == [line]
    fences = [one for one in Path("md").read_text().splitlines() if one.startswith("```")]
    assert fences == ["`````diff", "`````"]


def test_a_weakness_that_is_switched_off_is_no_loss(diffed):
    comparison, _ = diffed("CONFIG_COMPAT_BRK=y", "# CONFIG_COMPAT_BRK is not set")
    assert comparison["losses"] == []
    assert "security settings moved: 1" in comparison["verdict"]


def test_a_driver_that_the_new_kernel_has_not_is_told_as_gone(run_inside, make_config):
    driver = ["#", "# Device Drivers", "#", "CONFIG_I2C_COMPAT=y", "# end of Device Drivers"]
    old = make_config(*driver, name="old.config", kernel="6.1.0")
    new = make_config(name="new.config", kernel="6.12.0")
    text = run_inside("diff", old, new, *PROFILE).stdout
    assert text.startswith("gone      drivers: I2C_COMPAT\n")
    assert "unchanged" not in text


def test_what_a_fragment_alone_does_not_ask_for_any_more_is_not_lost(
    repository, run_inside, monkeypatch
):
    monkeypatch.chdir(repository.root)
    repository.commit({"f.config": f"{KEPT}CONFIG_E1000E=m\n"})
    repository.commit({"f.config": KEPT})
    (file,) = json.loads(run_inside("review", "HEAD~1", "-f", "json").stdout)["files"]
    assert file["comparison"]["losses"] == []
    assert file["verdict"].endswith("no longer named: 1")
    text = run_inside("review", "HEAD~1").stdout
    assert "unchanged" not in text
    assert "no longer named: 1\n" in text


def test_a_line_without_effect_is_not_told_as_a_symbol_that_moved(diffed):
    void = "# CONFIG_GENERIC_CPU_VULNERABILITIES is not set"
    comparison, _ = diffed("", f"{void}\n# CONFIG_NET is not set")
    names = {move["symbol"] for move in comparison["symbols"]}
    assert "NET" in names
    assert "GENERIC_CPU_VULNERABILITIES" not in names
    # It may be off by the other line, which is all that it asks for.
    (told,) = (one for one in comparison["lines"] if one["symbol"] == "GENERIC_CPU_VULNERABILITIES")
    assert told["kind"] == "void"
    assert not told.get("diagnostic")


def test_what_nobody_chose_is_not_suggested_but_a_must(repository, run_inside, monkeypatch):
    monkeypatch.chdir(repository.root)
    lines = ("# CONFIG_PREEMPT is not set\n# CONFIG_KMEMLEAK_X is not set\n", "CONFIG_PREEMPT=y\n")
    for line in lines:
        repository.commit({"f.config": f"{KEPT}{line}"})
    words = ("review", "HEAD~1", "--kernel", "6.12", "--arch", "x86", "-f", "json")
    (file,) = json.loads(run_inside(*words).stdout)["files"]
    assert file["comparison"]["advice"]
    assert file["edits"] == []
    (file,) = json.loads(run_inside(*words, *PROFILE).stdout)["files"]
    assert file["edits"]


def test_no_word_is_called_unchanged_above_a_wrong_one_or_a_setting_that_moved(
    repository, run_inside, monkeypatch
):
    monkeypatch.chdir(repository.root)
    for line in ("quiet", "quiet mitigation=off", "quiet kvm.nx_huge_pages=off"):
        repository.commit({"etc/kernel/cmdline": f"{line}\n"})
    for span in (("HEAD~2", "HEAD~1"), ("HEAD~1", "HEAD")):
        words = ("--kernel", "6.12", "--arch", "x86", *PROFILE)
        assert "unchanged" not in run_inside("review", *span, *words).stdout


def test_a_symbol_that_a_defconfig_names_in_vain_has_not_moved(repository, run_inside, monkeypatch):
    monkeypatch.chdir(repository.root)
    for lines in ("", "CONFIG_X86_X2APIC=y\nCONFIG_RETPOLINE=y\nCONFIG_SPI=y\n"):
        repository.commit({"my_defconfig": f"{KEPT}{lines}"})
    words = ("review", "HEAD~1", "--kernel", "6.12", "--arch", "arm64", "-f", "json")
    (file,) = json.loads(run_inside(*words).stdout)["files"]
    assert [move["symbol"] for move in file["comparison"]["symbols"]] == ["SPI"]

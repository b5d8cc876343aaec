"""The commands that ask a kernel tree, as a user runs them, on a small tree of our own."""

from __future__ import annotations

import json

import pytest

from advisor.knowledge import schema

KCONFIG = """\
config X86
	def_bool y

config BASE
	bool "base"

config TOP
	bool "top"
	depends on BASE

config WIDGET
	bool "widget"
	depends on BASE

config RIVAL
	bool "rival"
	depends on !WIDGET

config RIVALS_FRIEND
	bool "rival's friend"
	depends on RIVAL

config CC_KNOWS_WIDGETS
	def_bool $(shell,{ gcc -fwidgets -c /dev/null; } >/dev/null 2>&1 && echo "y" || echo "n")
"""
# More than are named where not all side effects are asked for.
ADDONS = range(15)
KCONFIG += "".join(
    f'\nconfig ADDON_{n}\n\tbool "addon"\n\tdepends on WIDGET\n\tdefault y\n' for n in ADDONS
)


@pytest.fixture
def tree(make_tree, tmp_path):
    return make_tree(tmp_path / "tree", {"Kconfig": KCONFIG})


@pytest.fixture
def check(run_inside, make_config, tree, tmp_path):
    """`check` of a fragment with these lines on a configuration without BASE and TOP."""

    def run(*lines, more=()):
        fragment = tmp_path / "x.config"
        fragment.write_text("\n".join([*lines, ""]))
        config = make_config("CONFIG_X86=y", "# CONFIG_BASE is not set")
        return run_inside("check", fragment, "--on", config, "--tree", tree, *more)

    return run


def test_several_fragments_are_checked_each_alone(check, tmp_path):
    other = tmp_path / "y.config"
    other.write_text("CONFIG_TOP=y\n")
    result = check("CONFIG_BASE=y", more=(other,))
    assert (result.code, result.stdout.count("fragment  ")) == (1, 2)
    assert check("CONFIG_BASE=y").stdout in result.stdout
    refused = check("CONFIG_BASE=y", more=(other, "-f", "json"))
    assert (refused.code, refused.stdout) == (2, "")


def test_a_line_that_holds(check):
    result = check("CONFIG_BASE=y", "CONFIG_TOP=y")
    assert result.code == 0
    assert result.stdout.endswith("effective: 2, already so: 0, dropped: 0\n")


def test_a_line_that_is_dropped_and_what_it_takes(check):
    result = check("CONFIG_TOP=y")
    assert result.code == 1
    assert "DROPPED   CONFIG_TOP=y (line 1): becomes n" in result.stdout
    assert "TOP needs BASE (Kconfig:9)" in result.stdout
    assert "add     CONFIG_BASE=y" in result.stdout


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("CONFIG_RIVLA=y", "RIVLA is not in this tree: did you mean RIVAL?"),
        ("CONFIG_TOP_DRIVER=y", "TOP_DRIVER is not in this tree assumed"),
        ("CONFIG_NO_HZ_FULL_ALL=y", "NO_HZ_FULL_ALL is not in this tree: gone since"),
        ("CONFIG_ARM_LPAE=y", "ARM_LPAE is of another architecture: seen on arm only"),
        ("CONFIG_X86_FRED=y", "X86_FRED is not in this tree assumed"),
    ],
)
def test_a_symbol_that_the_tree_does_not_have(check, line, told):
    result = check(line)
    assert result.code == 1
    assert told in " ".join(result.stdout.split())


@pytest.mark.parametrize("more", [(), ("-f", "json")], ids=str)
@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("CONFIG_TOP = y", "write CONFIG_TOP=y"),
        ("CONFIG_LOGO", "write CONFIG_LOGO=y, or '# CONFIG_LOGO is not set'"),
    ],
)
def test_a_line_that_kconfig_ignores_is_an_error(check, line, remedy, more):
    """Whatever is written: conf warns of unexpected data, and goes on."""
    right = check("CONFIG_BASE=y", more=more)
    assert (right.code, right.stderr) == (0, "")
    result = check("CONFIG_BASE=y", line, more=more)
    told = f"x.config:2: Kconfig ignores this line: '{line}' ({remedy})\n"
    assert (result.code, result.stderr.partition("/x.config")[2]) == (1, told[8:])
    assert result.stdout


def test_a_value_that_kconfig_ignores_is_an_error(check):
    result = check("CONFIG_BASE=y", "CONFIG_TOP=yup")
    assert (result.code, "x.config:2: Kconfig ignores CONFIG_TOP=yup: " in result.stderr) == (
        1,
        True,
    )


def test_a_line_that_kconfig_ignores_is_written_as_it_reads_it(check):
    odd = (" CONFIG_TOP=y", "CONFIG_RIVAL is not set")
    result = check("CONFIG_X86=y", "CONFIG_BASE = y", *odd, more=["--fix"])
    assert (result.code, result.stderr) == (0, "")
    was = "Kconfig ignores the original line"
    assert result.stdout.partition("\n\n")[2].splitlines() == [
        "CONFIG_X86=y",
        f"# Was BASE=y: {was}",
        "CONFIG_BASE=y",
        f"# Was TOP=y: {was}",
        "CONFIG_TOP=y",
        f"# Was RIVAL=n: {was}",
        "# CONFIG_RIVAL is not set",
    ]


def test_a_line_of_no_clear_meaning_is_left_out_of_the_repair(check):
    result = check("CONFIG_BASE=y", "CONFIG_TOP", more=["--fix"])
    assert "x.config:2: Kconfig ignores this line: 'CONFIG_TOP' (write" in result.stderr
    assert result.code == 1
    told = "# Not included: TOP: Kconfig ignores a line in this form"
    assert result.stdout.partition("\n\n")[2].splitlines() == ["CONFIG_BASE=y", told]


def test_the_fragment_repaired(check, tmp_path):
    lines = ("# We need it.", "CONFIG_TOP=y", "", "# CONFIG_RIVAL is not set", "CONFIG_RIVLA=y")
    result = check(*lines, more=["--fix"])
    heading, _, body = result.stdout.partition("\n\n")
    assert "For config, in " in words(heading).replace(f"{tmp_path}/", "")
    assert "# Lines that Kconfig cannot keep as they were: 1" in heading
    assert body.splitlines() == [
        "# We need it.",
        "# Needed for TOP:",
        "CONFIG_BASE=y",
        "CONFIG_TOP=y",
        "",
        "# CONFIG_RIVAL is not set",
        "# Not included: RIVLA=y: RIVLA is not in this tree: did you mean RIVAL?",
    ]
    assert result.code == 1
    assert "a line cannot take effect; comments in the repaired fragment" in result.stderr
    again = check(*result.stdout.splitlines(), more=["--fix"])
    assert (again.code, again.stdout, again.stderr) == (0, result.stdout, "")
    checked = check(*result.stdout.splitlines())
    assert checked.stdout.endswith("effective: 2, already so: 1, dropped: 0\n")


def test_a_fragment_that_holds_is_written_as_it_is(check):
    lines = ("# CONFIG_BASE is it", "CONFIG_BASE=y", "  odd", "CONFIG_TOP=y")
    result = check(*lines, more=["--fix"])
    assert (result.code, result.stdout) == (0, "\n".join([*lines, ""]))


def test_a_repaired_fragment_in_place_and_a_report_beside_it(check, tmp_path):
    fragment, report = tmp_path / "x.config", tmp_path / "report"
    result = check("CONFIG_TOP=y", more=["--fix", "-o", fragment, "--write", f"json={report}"])
    assert (result.code, result.stdout) == (0, "")
    fixed = fragment.read_text()
    assert "CONFIG_BASE=y\nCONFIG_TOP=y\n" in fixed
    (line,) = json.loads(report.read_text())["lines"]
    assert (line["outcome"], line["remedy"]) == ("dropped", {"BASE": "y"})
    aside = check("CONFIG_TOP=y", more=["--write", f"fragment={tmp_path / 'y'}"])
    assert (aside.code, "DROPPED" in aside.stdout) == (1, True)
    assert (tmp_path / "y").read_text() == fixed
    assert check("CONFIG_TOP=y", more=["--format", "fragment"]).stdout == fixed


def test_a_repair_that_is_repaired_again_has_one_heading(check, tmp_path):
    first = check("CONFIG_TOP=y", more=["--fix"]).stdout
    second = check(*first.splitlines(), "CONFIG_WIDGET=y", "CONFIG_GONE=y", more=["--fix"]).stdout
    assert second.count("Repaired by") == 1
    assert "CONFIG_TOP=y\nCONFIG_WIDGET=y\n# Not included: GONE=y" in second


def test_what_is_of_no_use_with_a_repair(check, tmp_path):
    other = tmp_path / "y.config"
    other.write_text("CONFIG_TOP=y\n")
    several = check("CONFIG_BASE=y", more=(other, "--fix"))
    assert (several.code, "'fragment' is possible only for one" in several.stderr) == (2, True)
    report = check("CONFIG_BASE=y", more=("--fix", "--format", "text"))
    assert (report.code, "--write text=FILE" in report.stderr) == (2, True)


@pytest.mark.parametrize("text", ["# nothing yet", "\n# WARNING\n\nCONFIG_TOP\n"])
def test_a_fragment_of_comments_sets_nothing(check, text):
    result = check(*text.splitlines())
    assert result.code == 0
    assert result.stdout.endswith("effective: 0, already so: 0, dropped: 0\n")
    fixed = check(*text.splitlines(), more=["--fix"])
    assert (fixed.code, fixed.stdout) == (0, "\n".join([*text.splitlines(), ""]))


def test_a_fragment_of_nothing_at_all(check, tmp_path):
    empty = tmp_path / "empty.config"
    empty.touch()
    result = check("CONFIG_BASE=y", more=[empty])
    assert result.code == 0
    assert result.stdout.endswith("effective: 0, already so: 0, dropped: 0\n")


@pytest.mark.parametrize("text", ["TOP=y", "# comment\ntop is on"])
def test_what_is_no_fragment_is_refused(check, text):
    result = check(*text.splitlines(), more=["--fix"])
    assert (result.code, "not a kernel configuration" in result.stderr) == (3, True)


def test_as_json(check):
    result = check("CONFIG_TOP=y", more=["--format", "json"])
    document = json.loads(result.stdout)
    assert document["schema"] == "kernel-advisor/check/v1"
    (line,) = document["lines"]
    assert (line["outcome"], line["remedy"]) == ("dropped", {"BASE": "y"})


def test_nothing_of_the_tree_is_run(check, tree, tmp_path):
    planted = tmp_path / "planted"
    (tree / "Kconfig").write_text(f"PLANTED := $(shell,touch {planted})\n{KCONFIG}")
    check("CONFIG_BASE=y")
    assert not planted.exists()


def test_explain_shows_the_symbol_with_file_and_line(run_inside, make_config, tree):
    config = make_config("CONFIG_X86=y", "# CONFIG_BASE is not set")
    result = run_inside("explain", "CONFIG_TOP", "--tree", tree, "--config", config)
    assert result.code == 0
    assert "defined Kconfig:7" in result.stdout
    assert "depends on BASE (Kconfig:9)" in result.stdout


def test_a_name_that_neither_tree_nor_rules_know(run_inside, tree):
    result = run_inside("explain", "NO_SUCH_SYMBOL", "--tree", tree, "--arch", "x86")
    assert (result.code, result.stdout) == (2, "")


@pytest.mark.parametrize(
    ("folder", "words"),
    [("missing", "no such folder"), (".", "Kconfig")],
)
def test_what_is_no_kernel_tree(run_inside, make_config, tmp_path, folder, words):
    fragment = tmp_path / "x.config"
    fragment.write_text("CONFIG_BASE=y\n")
    config = make_config("CONFIG_X86=y")
    result = run_inside("check", fragment, "--on", config, "--tree", tmp_path / folder)
    assert result.code == 5
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_architecture_has_to_be_told(run_command, tree, tmp_path):
    fragment = tmp_path / "x.config"
    fragment.write_text("CONFIG_BASE=y\n")
    result = run_command("check", fragment, "--tree", tree)
    assert (result.code, "--arch" in result.stderr) == (2, True)


# audit and fragment


LINES = ("CONFIG_X86=y", "# CONFIG_BASE is not set", "CONFIG_RIVAL=y", "CONFIG_RIVALS_FRIEND=y")


@pytest.fixture
def run(run_inside, make_config, widgets, tree, tmp_path):
    """`audit` or `fragment` of a configuration without WIDGET under a profile that wants it."""

    def run(command, *more, config=None, tree=tree, cache="cache"):
        config = config or make_config(*LINES)
        words = [command, config, *widgets, *(["--tree", tree] if tree else []), *more]
        return run_inside(*words, env={"XDG_CACHE_HOME": str(tmp_path / cache)})

    return run


def words(text):
    """The text without its line breaks and the signs of a comment."""
    return " ".join(text.replace("\n#", "\n").split())


def test_the_fragment_holds_line_by_line(run, check, tmp_path):
    result = run("fragment")
    assert result.code == 0
    lines = [line for line in result.stdout.split("\n") if line and not line.startswith("# ")]
    assert [line for line in lines if line != "#"] == ["CONFIG_BASE=y", "CONFIG_WIDGET=y"]
    assert "# Needed for it:\nCONFIG_BASE=y\nCONFIG_WIDGET=y\n" in result.stdout
    checked = check(*lines)
    assert (checked.code, "effective: 2" in checked.stdout) == (0, True)


def test_each_format_names_the_tree_and_the_proof(run, tree):
    text = words(run("audit").stdout)
    assert f"tree {tree}: Linux 6.12.0, x86" in text
    assert "proof model: from the tree's Kconfig; " in text
    fragment = words(run("fragment").stdout)
    assert "Proof: model (" in fragment
    assert f"Tree: {tree}: Linux 6.12.0, x86" in fragment
    markdown = run("audit", "--format", "markdown").stdout
    assert "- **proof:** `model`: from the tree's Kconfig; " in markdown
    assert f"`{tree}`: Linux 6.12.0, x86" in markdown


def test_a_remedy_says_what_it_takes_away(run):
    text = words(run("audit").stdout)
    assert "do rebuild with WIDGET=y (with BASE=y) loses RIVAL (needs !WIDGET); with them 1" in text
    assert "- **loses:** `RIVAL` (needs" in run("audit", "--format", "markdown").stdout
    (report,) = json.loads(run("audit", "--format", "json").stdout)["reports"]
    (remedy,) = report["findings"][0]["remedies"]
    assert remedy["loses"][0] == {"symbol": "RIVAL", "why": "!WIDGET"}
    assert [one["symbol"] for one in remedy["loses"]] == ["RIVAL", "RIVALS_FRIEND"]
    # Of a fragment all side effects are told at its head.
    assert "loses" not in run("fragment").stdout


def test_a_version_that_is_the_tree_s_may_be_said(run):
    assert run("audit", "--kernel", "6.12").stdout == run("audit").stdout
    other = run("audit", "--kernel", "6.1")
    assert other.code == 2
    assert "--kernel: differs from the version of the tree" in other.stderr


def test_without_a_tree_the_proof_is_the_rules(run):
    fragment = words(run("fragment", tree=None, config=None).stdout)
    assert "Proof: database (from the rules' own facts; no kernel tree was read)" in fragment
    assert "Tree:" not in fragment
    assert "Side effects" not in fragment


def test_as_json_it_is_valid_and_names_the_tree(run, tree, tmp_path):
    written = ["--write", f"fragment={tmp_path / 'f.config'}"]
    result = run("audit", "--format", "json", *written)
    document = json.loads(result.stdout)
    assert list(schema.problems("report", document, "advisor.output")) == []
    (report,) = document["reports"]
    assert report["proof"] == "model"
    assert (report["tree"]["path"], report["tree"]["version"]) == (str(tree), "6.12.0")
    (assumed,) = report["tree"]["assumed"]
    assert (assumed["subject"], assumed["value"]) == ("CC_KNOWS_WIDGETS", "n")
    assert "recorded" in assumed["source"]
    kinds = {effect["symbol"]: effect["kind"] for effect in report["side_effects"]}
    assert kinds == {
        "RIVAL": "lost", "RIVALS_FRIEND": "lost", **{f"ADDON_{n}": "new" for n in ADDONS}
    }  # fmt: skip
    (remedy,) = report["findings"][0]["remedies"]
    assert [change["role"] for change in remedy["changes"]] == ["dependency", "asked"]


def test_as_json_without_a_plan_or_tree(run):
    for more in ({}, {"tree": None}):
        document = json.loads(run("audit", "--format", "json", **more).stdout)
        assert list(schema.problems("report", document, "advisor.output")) == []
        (report,) = document["reports"]
        assert report["side_effects"] is None
    assert (report["proof"], report["tree"]) == ("database", None)


def test_side_effects_the_first_of_each_kind(run):
    text = words(run("fragment").stdout)
    assert "- lost: 1: RIVAL (needs !WIDGET)" in text
    assert "- lost with them: 1: RIVALS_FRIEND" in text
    assert "- new: 15: ADDON_0=y" in text
    assert "and 3 more" in text


def test_all_side_effects(run):
    text = words(run("fragment", "--all").stdout)
    assert all(f"ADDON_{n}=y" in text for n in ADDONS)
    assert "more" not in text


def test_side_effects_of_a_checked_fragment(check):
    text = words(check("CONFIG_BASE=y", "CONFIG_WIDGET=y").stdout)
    assert "- new: 15: ADDON_0=y" in text
    assert "and 3 more" in text
    assert "WIDGET=y" not in text
    verbose = words(check("CONFIG_BASE=y", "CONFIG_WIDGET=y", more=["-v"]).stdout)
    assert all(f"ADDON_{n}=y" in verbose for n in ADDONS)


def test_side_effects_of_a_checked_fragment_as_json(check):
    result = check("CONFIG_BASE=y", "CONFIG_WIDGET=y", more=["--format", "json"])
    document = json.loads(result.stdout)
    assert document["proof"] == "model"
    assert {effect["symbol"] for effect in document["side_effects"]} == {
        f"ADDON_{n}" for n in ADDONS
    }


def test_a_defconfig_is_complete_with_a_tree(run, tmp_path):
    config = tmp_path / "defconfig"
    config.write_text("CONFIG_X86=y\nCONFIG_TOP=y\n")
    refused = run("fragment", config=config, tree=None)
    assert (refused.code, refused.stdout) == (3, "")
    result = run("fragment", config=config)
    assert result.code == 0
    assert "CONFIG_BASE=y\nCONFIG_WIDGET=y\n" in result.stdout
    report = json.loads(run("audit", "--format", "json", config=config).stdout)["reports"][0]
    assert report["subject"]["complete"] is True
    assert report["subject"]["kernel"] == "6.12.0"


def test_what_shall_stay_blocks(run, make_config):
    config = make_config("CONFIG_X86=y", "CONFIG_BASE=y", "CONFIG_RIVAL=y")
    result = run("fragment", "--keep", "CONFIG_RIVAL", config=config)
    assert "CONFIG_WIDGET=y" not in result.stdout
    assert "Not included: Widget" in result.stdout
    assert "RIVAL would lose the value" in words(result.stdout)
    assert "CONFIG_WIDGET=y" in run("fragment", "--keep", "TOP", config=config).stdout


@pytest.mark.parametrize("command", ["audit", "fragment"])
def test_options_that_do_not_go_together(run, command):
    result = run(command, "--run-toolchain", tree=None)
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr.startswith("kernel-advisor: --run-toolchain: ")


@pytest.mark.parametrize("command", ["audit", "fragment"])
def test_an_untold_architecture_is_an_error(run, tmp_path, command):
    config = tmp_path / "defconfig"
    config.write_text("CONFIG_TOP=y\n")
    result = run(command, config=config)
    assert (result.code, "--arch" in result.stderr) == (2, True)
    assert run(command, "--arch", "x86", config=config).code != 2


@pytest.mark.parametrize("command", ["audit", "fragment"])
def test_a_wrong_tree_is_an_error(run, tmp_path, command):
    for folder in ("missing", "own"):
        result = run(command, tree=tmp_path / folder)
        assert (result.code, result.stdout) == (5, "")
        assert result.stderr.count("\n") == 1


def test_a_configuration_of_another_version_is_warned_of(run, check, make_config):
    old = make_config(*LINES, name="old", kernel="6.1.0")
    warning = "the configuration is of Linux 6.1.0, but the tree is Linux 6.12.0"
    assert f"warning {warning}" in words(run("audit", config=old).stdout)
    assert f"Warning: {warning}" in words(run("fragment", config=old).stdout)
    assert f"**Warning:** {warning}" in run("audit", "-f", "markdown", config=old).stdout
    (report,) = json.loads(run("audit", "-f", "json", config=old).stdout)["reports"]
    assert report["tree"]["warnings"][0].startswith(warning)
    assert report["subject"]["kernel"] == "6.12.0"
    assert warning not in words(run("audit").stdout)


def test_no_comment_of_a_fragment_holds_a_symbol(run, tree, make_config, tmp_path):
    """merge_config.sh would take it for a line; whatever the files are called."""
    tree.rename(tmp_path / "CONFIG_TREE")
    config = make_config(*LINES, name="CONFIG_BASE.config", kernel="6.1.0")
    result = run("fragment", "--all", config=config, tree=tmp_path / "CONFIG_TREE")
    assert (result.code, "CONFIG_WIDGET=y" in result.stdout) == (0, True)
    blocked = run("fragment", "--keep", "RIVAL", config=config, tree=tmp_path / "CONFIG_TREE")
    assert "Not included" in blocked.stdout
    comments = [s for s in (result.stdout + blocked.stdout).split("\n") if s.startswith("#")]
    assert not [comment for comment in comments if "CONFIG_" in comment]


FORMATS = [["fragment"], ["fragment", "--all"], ["audit"], ["audit", "-v"], ["audit", "-f", "json"]]


@pytest.mark.parametrize("command", FORMATS, ids=" ".join)
def test_what_was_kept_gives_the_same_bytes(run, command, tmp_path):
    first = run(*command)
    assert first.code in (0, 1)
    (kept,) = (tmp_path / "cache/kernel-advisor").glob("tree-*")
    before = kept.stat()
    assert run(*command) == first
    assert run(*command, "--no-cache", cache="other") == first
    assert kept.stat().st_ino == before.st_ino
    assert list((tmp_path / "other").rglob("tree-*")) == []


def test_what_was_kept_serves_other_commands_too(run, tmp_path):
    for command in FORMATS:
        assert run(*command) == run(*command, "--no-cache")
    assert len(list((tmp_path / "cache/kernel-advisor").glob("tree-*"))) == 1


def test_a_changed_tree_gives_another_answer(run, tree, edit):
    assert "CONFIG_WIDGET=y" in run("fragment").stdout
    edit(tree / "Kconfig", "config WIDGET\n\tbool", "config WIDGET\n\tdepends on !X86\n\tbool")
    assert "Not included: Widget" in run("fragment").stdout


def test_commands_of_the_tree_run_only_if_that_is_asked_for(run, tree, tmp_path):
    planted = tmp_path / "planted"
    text = (tree / "Kconfig").read_text()
    (tree / "Kconfig").write_text(f"PLANTED := $(shell,touch {planted})\n{text}")
    run("audit")
    assert not planted.exists()
    result = run("audit", "--run-toolchain", "-f", "json", cache="other")
    assert planted.exists()
    document = json.loads(result.stdout)
    assert list(schema.problems("report", document, "advisor.output")) == []
    assert document["reports"][0]["tree"]["ran"] is True
    assert list((tmp_path / "other").rglob("tree-*")) == []

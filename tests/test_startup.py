"""What an ordinary run imports, since imports are most of its time.

Typer is needed on every run, so what it imports itself is subtracted; the last test looks at that.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from advisor.cli.app import COMMANDS

from .inputs.host.hosts import recorded, write_host

HEAVY = (
    "jsonschema", "kconfiglib", "rich", "pydantic", "importlib.metadata", "tomli", "dataclasses",
    "advisor.knowledge.load", "advisor.lint.lint", "advisor.knowledge.schema",
    "advisor.inputs.image", "advisor.knowledge.catalogue", "advisor.knowledge.existence",
    "advisor.knowledge.parametercatalogue", "xml.etree.ElementTree", "shlex",
    "advisor.cli.completion", "advisor.inputs.git",
    "advisor.cli.review", "advisor.engine.compare", "advisor.cli.settings", "advisor.model.tree",
    "advisor.inputs.host.read", "advisor.inputs.host.root", "advisor.model.software",
    "advisor.cli.required", "advisor.knowledge.required", "advisor.engine.remedy.conditions",
    "string",
)  # fmt: skip


# All that is loaded when the process ends, in place of -X importtime, which does not show what
# importlib.import_module loads.
SPY = """\
import atexit, sys
atexit.register(lambda: print("loaded:", *sorted(sys.modules), file=sys.stderr))
"""
MAIN = "from advisor.__main__ import main\nmain()\n"


@pytest.fixture
def loaded(environment, tmp_path):
    """The modules that a process has loaded at its end, and its exit code."""
    # Coverage would load its own.
    bare = {name: value for name, value in environment.items() if "COVERAGE" not in name}

    def run(code, *words, cwd=tmp_path):
        command = [sys.executable, "-c", SPY + code, *map(str, words)]
        done = subprocess.run(
            command, cwd=cwd, env=bare, capture_output=True, text=True, check=False
        )
        *others, last = done.stderr.splitlines()
        assert (others, last.split()[0]) == ([], "loaded:")
        return set(last.split()[1:]), done.returncode

    return run


@pytest.fixture
def typer_loads(loaded):
    return loaded("import typer")[0]


@pytest.fixture
def audited(loaded, make_config):
    """The modules of an audit without tree and own rules, whose index is there already."""
    # Every kernel asks for these: a file without them sends for the catalogue.
    make_config("CONFIG_PSI=y", "CONFIG_SOFTLOCKUP_DETECTOR=y")
    words = ["audit", "config", "--profile", "server-throughput", "--fail-on", "never"]
    assert loaded(MAIN, *words)[1] == 0
    modules, code = loaded(MAIN, *words)
    assert code == 0
    return modules


def test_an_audit_imports_nothing_heavy(audited, typer_loads):
    assert {"advisor.cli", "advisor.engine.audit", "advisor.output.text"} <= audited
    assert [name for name in HEAVY if name in audited - typer_loads] == []


SETTINGS = ("advisor.cli.settings", "advisor.cli.accepted", "advisor.engine.waivers", "datetime")


def test_a_run_without_settings_does_not_pay_for_them(audited, typer_loads):
    assert [name for name in SETTINGS if name in audited - typer_loads] == []


def test_a_run_with_settings_does(loaded, make_config, tmp_path):
    """The counter-test; what has no waiver and no baseline does without their matching."""
    make_config()
    (tmp_path / "kernel-advisor.toml").write_text('profile = ["server-throughput"]\n')
    words = ["audit", "config", "--fail-on", "never"]
    loaded(MAIN, *words)  # which makes the index, where there is none
    modules, code = loaded(MAIN, *words)
    assert code == 0
    assert {"advisor.cli.settings", "tomli"} <= modules
    assert (
        not {
            "advisor.cli.accepted",
            "advisor.engine.waivers",
            "advisor.model.diagnostics",
            "jsonschema",
        }
        & modules
    )


def test_an_audit_imports_only_the_format_it_prints(audited):
    formats = {name for name in audited if name.startswith("advisor.output.")}
    assert formats == {
        f"advisor.output.{name}"
        for name in (
            "text",
            "pages",
            "auditpage",
            "findingpage",
            "page",
            "phrases",
            "factwords",
            "escape",
        )
    }


@pytest.mark.parametrize(
    "words", [["explain", "HZ"], ["rules"], ["completion", "bash"]], ids=" ".join
)
def test_a_run_imports_the_module_of_its_command_only(loaded, words):
    modules, code = loaded(MAIN, *words)
    commands = {f"advisor.cli.{name}" for name in COMMANDS.values()}
    assert code == 0
    assert commands & modules == {f"advisor.cli.{COMMANDS[words[0]]}"}
    assert "advisor.cli.auditor" not in modules


def test_an_audit_imports_the_module_of_its_command_only(audited):
    commands = {f"advisor.cli.{name}" for name in COMMANDS.values()}
    assert commands & audited == {"advisor.cli.audit"}


def test_a_machine_on_one_screen_imports_its_own_command_only(loaded, tmp_path):
    """Nothing names that command: it is what no word, or an option, begins with."""
    write_host(tmp_path / "host", recorded("cloud-6.12"))
    modules, code = loaded(MAIN, "--host", "host")
    commands = {f"advisor.cli.{name}" for name in COMMANDS.values()}
    assert code == 0
    assert commands & modules == {"advisor.cli.machine"}


@pytest.mark.parametrize("format", ["sarif", "github", "gitlab", "junit"])
def test_a_format_imports_none_of_the_others(loaded, make_config, format):
    """The counter-test: XML is there for JUnit alone, and each has what it shares with others."""
    make_config()
    words = ["audit", "config", "-p", "server-throughput", "--fail-on", "never", "-f", format]
    modules, code = loaded(MAIN, *words)
    assert code == 0
    formats = {"text", "json", "fragment", "sarif", "github", "gitlab", "junit"}
    assert {name for name in formats if f"advisor.output.{name}" in modules} == {format}
    assert {"advisor.output.issues", "advisor.output.levels"} <= modules
    assert ("xml.etree.ElementTree" in modules) is (format == "junit")
    assert "jsonschema" not in modules


def test_own_rules_are_checked_against_the_schema(loaded, make_config, widgets):
    """The counter-test: the same way of looking does see these modules."""
    make_config("CONFIG_WIDGET=y")
    modules, code = loaded(MAIN, "audit", "config", *widgets)
    assert code == 0
    assert {"jsonschema", "tomli", "advisor.knowledge.load"} <= modules


def test_git_is_started_for_a_revision_only(loaded, repository):
    """The counter-test for what starts processes."""
    repository.commit({"config": "CONFIG_HZ_1000=y\n"})
    words = ["audit", "HEAD:config", "-p", "server-throughput"]
    modules, code = loaded(MAIN, *words, cwd=repository.root)
    assert code in (0, 1)
    assert {"subprocess", "advisor.inputs.git"} <= modules


def test_a_fragment_is_held_against_the_catalogue(loaded, tmp_path):
    """The counter-test for the catalogue, which a complete configuration does without."""
    (tmp_path / "fragment").write_text("CONFIG_HZ_1000=y\n")
    modules, code = loaded(MAIN, "audit", "fragment", "-p", "server-throughput")
    assert code in (0, 1)
    assert {"advisor.knowledge.catalogue", "advisor.knowledge.existence"} <= modules


def test_typer_itself_loads_nothing_heavy(typer_loads):
    """What is subtracted above: of the list, Typer up to 0.28 loads nothing, 0.29 pydantic."""
    assert "typer" in typer_loads
    assert [name for name in HEAVY if name in typer_loads] == []

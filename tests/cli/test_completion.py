"""Completion, as the shells themselves do it: keys into a real one, and what came to the command.

zsh and fish are looked at where they are installed (.ci/run installs them).
"""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.cli.app import described
from advisor.cli.completion import SCRIPTS, VALUES, answer, split

from ..cases import each

PROGRAM = """\
#!/bin/sh
[ "$1" = completion ] || {{ printf 'got<%s>\\n' "$*"; exit 0; }}
exec {python} -m advisor "$@"
"""
START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source <(kernel-advisor completion bash)"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "autoload -U compinit; compinit -u -D; source <(kernel-advisor completion zsh)",
    ),
}
# What is typed, with a tabulator where it stands, and what the command then gets.
TYPED = [
    ("au\t one.config", "audit one.config"),
    ("audit on\t", "audit one.config"),
    ("audit -p hp\t x", "audit -p hpc-compute x"),
    ("audit --profile=hp\t x", "audit --profile=hpc-compute x"),
    ("audit --this\t x", "audit --this-machine x"),
    ("audit x --vend\t in\t", "audit x --vendor intel"),
    ("audit x --fail-on must,err\t", "audit x --fail-on must,error"),
    ("audit x --write mark\tout", "audit x --write markdown=out"),
    ("audit x --write json=on\t", "audit x --write json=one.config"),
    ("audit x --cmdline @on\t", "audit x --cmdline @one.config"),
    ("audit x --cmdline @fol\tlin\t", "audit x --cmdline @folder/line"),
    ("audit x --arch risc\t", "audit x --arch riscv"),
    ("audit x --tree fol\t", "audit x --tree folder"),
    ("audit 'two w\t", "audit two words"),
    ("cmdline x -f kernel-\t", "cmdline x -f kernel-install"),
    ("fragment x --strength sh\t", "fragment x --strength should"),
    ("profiles sh\t hp\t", "profiles show hpc-compute"),
    ("rules show split-l\t", "rules show split-lock-mitigation"),
    ("explain CONFIG_PREEMPT_DY\t", "explain CONFIG_PREEMPT_DYNAMIC"),
]


@pytest.fixture
def folder(tmp_path):
    """Files to complete."""
    root = tmp_path / "here"
    (root / "folder").mkdir(parents=True)
    for name in ("one.config", "two words", "folder/line"):
        (root / name).touch()
    return root


@pytest.fixture
def shell_environment(environment, tmp_path):
    """The command under its name; called without `completion` it prints what it got."""
    program = tmp_path / "bin" / "kernel-advisor"
    program.parent.mkdir()
    program.write_text(PROGRAM.format(python=sys.executable))
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{environment['PATH']}"
    return {**environment, "PATH": path, "TERM": "dumb", "PS1": "$ ", "HOME": str(tmp_path)}


class Terminal:
    """A shell that believes in a user."""

    def __init__(self, words, folder, environment):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            words, cwd=folder, env=environment, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def wait(self, pattern):
        """The match of what is shown; fails after a minute of silence."""
        shown = ""
        while not (found := re.search(pattern, shown)):
            if not select.select([self.master], [], [], 60)[0]:
                pytest.fail(f"{pattern!r} never came:\n{shown}")
            shown += os.read(self.master, 4096).decode(errors="replace")
        return found

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture(params=START)
def terminal(request, folder, shell_environment):
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    words, setup = START[request.param]
    terminal = Terminal(words, folder, shell_environment)
    terminal.type(f"{setup}; printf 'rea%s\\n' dy\n")
    terminal.wait("ready")
    yield terminal
    terminal.close()


def test_a_shell_completes(terminal):
    for typed, got in TYPED:
        terminal.type(f"kernel-advisor {typed}\n")
        # zsh takes a slash away that ends the line, bash does not.
        assert terminal.wait(r"got<(.*?)>")[1].rstrip(" /") == got


def test_zsh_shows_titles_beside_profiles(folder, shell_environment):
    if not shutil.which("zsh"):
        pytest.skip("zsh is not installed")
    words, setup = START["zsh"]
    terminal = Terminal(words, folder, shell_environment)
    terminal.type(f"{setup}; printf 'rea%s\\n' dy\n")
    terminal.wait("ready")
    terminal.type("kernel-advisor audit -p virt\t\t")
    terminal.wait(r"virtualization-host\s+-- Virtualization host")
    terminal.close()


@pytest.fixture
def fish(folder, shell_environment):
    """What fish offers for a line."""
    if not shutil.which("fish"):
        pytest.skip("fish is not installed")

    def offered(line):
        code = 'kernel-advisor completion fish | source; complete -C "$argv[1]"'
        done = subprocess.run(
            ["fish", "--no-config", "-c", code, "--", line],
            cwd=folder, env=shell_environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stderr == ""
        return done.stdout.splitlines()

    return offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("fragm", ["fragment\tWrite a fragment with the changes that need a rebuild."]),
        ("audit -p hp", ["hpc-compute\tHigh-performance computing"]),
        ("audit one.c", ["one.config"]),
        ("audit --write json=one.c", ["json=one.config"]),
        ("audit --cmdline @folder/l", ["@folder/line"]),
        ("audit --cpus ", []),
    ],
)
def test_fish_completes(fish, line, offered):
    assert fish(f"kernel-advisor {line}") == offered


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_is_printed_and_nothing_is_written(run_inside, tmp_path, shell):
    result = run_inside("completion", shell, env={"HOME": str(tmp_path)})
    assert (result.code, result.stderr) == (0, "")
    assert "completion " + shell in result.stdout
    assert list(tmp_path.iterdir()) == []


def test_another_shell_is_refused(run_inside):
    result = run_inside("completion", "tcsh")
    assert (result.code, result.stdout) == (2, "")
    assert result.stderr == (
        "kernel-advisor: completion: there is no completion for 'tcsh' (one of bash, zsh, fish)\n"
    )


def test_typers_own_options_are_gone(run_inside):
    """They write into the files that a shell reads when it starts."""
    assert "completion " in run_inside("--help").stdout
    assert "--install-completion" not in run_inside("--help").stdout
    assert run_inside("--install-completion").code == 2


def offered(line):
    kind, *values = answer(f"kernel-advisor {line}", described).splitlines()
    return kind.partition("\t")[0], [value.partition("\t")[0] for value in values]


@each(
    ("line", "words"),
    [
        ("-", ["--version", "--help"]),
        ("audit --bare", ["--bare-metal"]),
        ("audit --guest --bare", []),  # the other side of a switch that is given
        ("audit --rules x --rul", ["--rules"]),
        ("audit --cpus 4 --cpu", []),
        ("audit -p realtime --profile=database --prefer ", ["realtime", "database"]),
        ("check x --format ", ["text", "json", "fragment"]),
        ("completion ", ["bash", "zsh", "fish"]),
        ("rules ", ["show", "new", "lint", "convert"]),
        ("profiles ", ["show", "new"]),
        ("rules lint --pra", ["--practice"]),
        ("lint --pra", ["--practice"]),
        ("audit --help", ["--help-all", "--help"]),
        ("rules show timer-f", ["timer-frequency"]),
        ("rules show x ", []),
        ("explain --tree linux preempt-d", ["preempt-dynamic"]),
        ("nonsense ", []),
        ("audit --nonsense ", []),
        ("audit -- -", []),
        ("audit 'one\naudit", []),
    ],
)
def test_words_that_can_stand_next(line, words):
    kind, values = offered(line)
    assert kind == "words" or values == []
    assert values == words


def test_a_word_of_a_list_is_offered_once():
    assert "must,must" not in offered("audit x --fail-on must,")[1]
    assert "must,error" in offered("audit x --fail-on must,")[1]


def test_own_directories_count(own):
    line = f"audit --rules {own / 'rules'} --profiles {own / 'profiles'} -p wid"
    assert offered(line) == ("words", ["widgets"])
    assert offered(f"audit --profiles {own / 'nowhere'} -p hpc") == ("words", ["hpc-compute"])


def test_every_option_with_a_value_is_foreseen():
    """A new option is to say where its values come from."""
    options = [
        option
        for command in described([]).commands.values()
        for option in command.params
        if option.param_type_name == "option" and not option.is_flag
    ]
    assert len(options) > 40
    for option in options:
        assert option.opts[0] in VALUES


def test_every_command_is_offered():
    commands = [name for name, one in described([]).commands.items() if not one.hidden]
    assert offered("") == ("words", commands)


@each(
    ("line", "found"),
    [
        ("k a b", (["a"], "b")),
        ("k a ", (["a"], "")),
        ("k 'a b", ([], "a b")),
        ('k "a b" c', (["a b"], "c")),
        ('k "a ', ([], "a ")),
        ("k a\\ b", ([], "a b")),
        ("k it\\'s", ([], "it's")),
        ("k", ([], "k")),
    ],
)
def test_a_line_is_split_as_a_shell_does(line, found):
    assert split(line) == found


WORDS = st.sampled_from(
    ["audit", "explain", "rules", "show", "--write", "--cmdline=", "-p", "--", "'", "CONFIG_", ","]
)


@settings(max_examples=60)
@given(st.lists(WORDS | st.text(max_size=4), max_size=5))
def test_no_line_is_too_odd(words):
    first, *_ = answer(f"kernel-advisor {' '.join(words)}", described).split("\n")
    assert first.partition("\t")[0] in ("words", "files", "folders", "nothing")

"""kernel-advisor.toml: what it may say, what is wrong with it, and baselines."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path

import pytest
import tomli
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.cli import settings
from advisor.cli.accepted import rules_of
from advisor.cli.groups import GROUPS
from advisor.cli.options import Request
from advisor.cli.settings import Settings, Table, check_values, filled
from advisor.errors import InputError, KnowledgeError
from advisor.inputs.open import RepositoryFile
from advisor.model.finding import Waiver
from advisor.model.kernel import Location

from .. import corpus
from ..cases import each

WAIVER = '[[waiver]]\nrule = "psi"\nreason = "We know."\n'


@pytest.fixture
def read(tmp_path, monkeypatch):
    """The settings of a file with that content, read in its folder."""
    monkeypatch.chdir(tmp_path)

    def read(content, name="s.toml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return settings.read(name)

    return read


@pytest.fixture
def problems(read):
    """What is wrong with such a file, as (line, message)."""

    def problems(content):
        with pytest.raises(KnowledgeError) as caught:
            read(content)
        assert caught.value.exit_code == 4
        return [(where, message) for where, message in caught.value.problems]

    return problems


# --- what it says ---------------------------------------------------------------------------------

ALL = """\
profile = ["a", "b"]
cmdline = "quiet"
sysctl = "sysctl.txt"
kernel = "6.12"
arch = "x86"
cpus = 8
isolate = "2-7"
nodes = 2
memory = "32G"
vendor = "intel"
guest = false
efi = true
whole = false
keep = ["KASAN"]
prefer = "a"
rules = ["rules"]
profiles = ["profiles"]
fail-on = "should"
strength = "could"
baseline = "base.json"
waivers = []
"""
ALL_KEYS = set(tomli.loads(ALL))
SUBJECT_KEYS = ALL_KEYS - {
    "profile", "rules", "profiles", "fail-on", "strength", "baseline", "waivers",
}  # fmt: skip


def test_every_option(read):
    found = read(ALL).top.options
    assert found == {
        "profile": ("a", "b"), "cmdline": "quiet", "sysctl": "sysctl.txt", "kernel": "6.12",
        "arch": "x86", "cpus": 8, "isolate": "2-7", "nodes": 2, "memory": "32G",
        "vendor": "intel", "guest": False, "efi": True, "whole": False, "keep": ("KASAN",),
        "prefer": "a", "rules": ("rules",), "profiles": ("profiles",), "fail_on": "should",
        "strength": "could", "baseline": "base.json",
    }  # fmt: skip
    given = filled(Request(), found)
    assert {name: option(given, name) for name in found} == found


@pytest.mark.parametrize(
    "content",
    [b"", b"# nothing\n", b"\n\n", b"\xef\xbb\xbf# by an editor of Windows\r\n"],
    ids=["empty", "comment", "blank", "byte order mark"],
)
def test_nothing_is_said(read, content):
    assert read(content) == Settings(Table(Location("s.toml")), files=("s.toml",))


def test_lines_may_end_as_on_windows(read):
    (found,) = read(WAIVER.replace("\n", "\r\n").encode()).waivers
    assert found == Waiver("psi", "We know.", Location("s.toml", 1))


def test_every_key_of_a_waiver(read):
    text = WAIVER + (
        'path = "a/*"\nprofile = "server"\nsubject = "on"\nowner = "me"\nexpires = 2027-06-30\n'
    )
    assert read("\n" + text).waivers == (
        Waiver(
            "psi", "We know.", Location("s.toml", 2), "a/*", "server", "on", "me", "2027-06-30"
        ),
    )  # fmt: skip


def test_inline_tables(read):
    text = 'cpus = 1\nwaiver = [{rule = "a", reason = "b"}, {rule = "c", reason = "d"}]\n'
    assert [(w.rule, w.location.line) for w in read(text).waivers] == [("a", 2), ("c", 2)]


def test_many_waivers_are_found_at_their_lines(read):
    count = 3000
    found = read(f"{WAIVER}\n" * count).waivers
    assert [w.location.line for w in found] == list(range(1, 4 * count, 4))


def test_files_are_named_relative_to_its_folder(read):
    found = read(
        'rules = ["r", "/abs"]\nprofiles = ["../p"]\nsysctl = "s"\nbaseline = "b"\ncmdline = "@c"\n'
        '[[subject]]\npath = "configs/*"\nsysctl = "t"\ncmdline = "@/proc/cmdline"\n',
        "sub/s.toml",
    )
    assert found.top.options == {
        "rules": ("sub/r", "/abs"), "profiles": ("sub/../p",), "sysctl": "sub/s",
        "baseline": "sub/b", "cmdline": "@sub/c",
    }  # fmt: skip
    (subject,) = found.subjects
    assert subject.options == {"sysctl": "sub/t", "cmdline": "@/proc/cmdline"}
    assert subject.pattern == "configs/*"


def test_the_last_subject_that_names_an_option_counts(read):
    found = read(
        'cpus = 1\nkernel = "6.1"\n'
        '[[subject]]\npath = "a/*"\ncpus = 2\nnodes = 2\n'
        '[[subject]]\npath = "a/*"\ncpus = 3\n'
        '[[subject]]\npath = "b/*"\ncpus = 4\n'
    )
    assert found.of("a/x") == {"cpus": 3, "kernel": "6.1", "nodes": 2}
    assert found.of("b/c/x") == {"cpus": 4, "kernel": "6.1"}
    assert found.of("x") == {"cpus": 1, "kernel": "6.1"}


def test_a_file_of_waivers(read, tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/more.toml").write_text("\n" + WAIVER.replace("psi", "hz"))
    found = read(f'waivers = ["more.toml"]\n{WAIVER}', "sub/s.toml").waivers
    assert [(w.rule, str(w.location)) for w in found] == [
        ("psi", "sub/s.toml:2"), ("hz", "sub/more.toml:2"),
    ]  # fmt: skip


ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/waivers.md").read_text()


def test_the_examples_of_the_page_are_right(read, built_in, tmp_path):
    (tmp_path / "kernel-advisor-waivers.toml").write_text(WAIVER)
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    found = [read(block) for block in blocks]
    assert [len(one.waivers) for one in found] == [1, 1]
    for one in found:
        check_values(one, built_in)
    assert found[1].waivers[0].rule in rules_of(built_in)


def test_the_page_has_every_key():
    rows = re.findall(r"^\| (`.*?) \| (\w*) ?\| ", PAGE, re.MULTILINE)
    told = {key: also for names, also in rows for key in re.findall("`([^`]+)`", names)}
    keys = {*ALL_KEYS, "rule", "reason", "path", "subject", "owner", "expires"}
    assert keys <= set(told)
    assert {key for key in ALL_KEYS - {"profile"} if told[key] == "yes"} == SUBJECT_KEYS


# --- what is wrong with it ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("profil = []", 1, ["unknown key 'profil'", "did you mean profile"]),
        ("\nqqq = 1", 2, ["unknown key 'qqq'", "the known keys are profile, cmdline"]),
        ('profile = "a"', 1, ["the key 'profile' must be a list of texts"]),
        ("profile = [1]", 1, ["a list of texts"]),
        ('rules = [" "]', 1, ["a list of texts"]),
        ("cmdline = 1", 1, ["a text"]),
        ('cmdline = " "', 1, ["a text"]),
        ("cpus = 0", 1, ["a number above 0"]),
        ("cpus = 1.5", 1, ["a number above 0"]),
        ("cpus = true", 1, ["a number above 0"]),
        ("cpus = nan", 1, ["a number above 0"]),
        ('guest = "yes"', 1, ["true or false"]),
        ("[fail-on]\na = 1", 1, ["the key 'fail-on' must be a text"]),
        ("waiver = 1", 1, ["write the key 'waiver' as [[waiver]]"]),
        ("waiver = [1]", 1, ["write the key 'waiver' as [[waiver]]"]),
        ('[waiver]\nrule = "a"', 1, ["write the key 'waiver' as [[waiver]]"]),
        ('waiver.rule = "a"', 1, ["write the key 'waiver' as [[waiver]]"]),
        ('cpus = 1\nsubject = "a"', 2, ["write the key 'subject' as [[subject]]"]),
        ("[[subject]]\ncpus = 1", 1, ["a subject needs the key 'path', which names its files"]),
        ('[[subject]]\npath = "a"\nfail-on = "must"', 3, ["unknown key 'fail-on'"]),
        ('[[subject]]\npath = ["a"]', 2, ["from the repository's root"]),
        ('[[subject]]\npath = "/a"', 2, ["from the repository's root"]),
        ('[[waiver]]\nreason = "a"', 1, ["a waiver needs a rule"]),
        ('[[waiver]]\nrule = "a"', 1, ["a waiver needs a reason"]),
        ('[[waiver]]\nrule = "a"\nreason = "  "', 3, ["the key 'reason' must be a text"]),
        (f'{WAIVER}path = "./a"', 4, ["from the repository's root"]),
        (f'{WAIVER}path = "../a"', 4, ["from the repository's root"]),
        (f'{WAIVER}path = "a\\\\b"', 4, ["from the repository's root"]),
        (f'{WAIVER}expires = "2027-06-30"', 4, ["a day without quotes, such as 2027-06-30"]),
        (f"{WAIVER}expires = 2027-06-30T00:00:00", 4, ["a day"]),
        (f"{WAIVER}expires = 2027-06-30 00:00:00Z", 4, ["a day"]),
        (f"{WAIVER}expires = 10:00:00", 4, ["a day"]),
        (f"{WAIVER}expires = 2027-02-30", 4, ["is no TOML"]),
        (f'{WAIVER}rule = "b"', 4, ["is no TOML"]),
        ("profile = [", 1, ["is no TOML"]),
        ("a = " + "[" * 5000, 1, ["is no TOML", "nested"]),
        ("cpus = " + "9" * 5000, 1, ["is no TOML", "digits"]),
        ("profile = []\ncpus = 0x" + "f" * 9000, 2, ["is no TOML", "64 bits"]),
        (f"[policies]\nHZ = {{ value = {2**63} }}", 2, ["is no TOML", "64 bits"]),
        ("a" + ".a" * 5000 + " = 1", 1, ["is no TOML"]),
        (b"cpus = 1\n# \xff", 2, ["is not UTF-8"]),
        ("cpus = 1".encode("utf-16"), 1, ["is not UTF-8"]),
        (gzip.compress(b"cpus = 1", mtime=0), 1, ["is not UTF-8"]),
        ("cpus = 1\n\0", 2, ["is no TOML"]),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_is_wrong(problems, text, line, parts):
    ((where, message),) = problems(text)
    # The reader of TOML names the line in its message where it cannot name it otherwise.
    assert where == f"s.toml:{line}"
    assert [part for part in parts if part not in message] == []


def test_all_problems_are_told_at_once(problems, tmp_path):
    text = (
        'wavier = 1\ncpus = "a"\n'
        '[[subject]]\nprofil = ["a"]\n'
        '[[waiver]]\nrule = 1\n\n[[waiver]]\nrule = "a"\nreason = "b"\nexpires = 1\n'
    )
    assert [where for where, _ in problems(text)] == [
        f"s.toml:{line}" for line in (1, 2, 4, 3, 6, 5, 11)
    ]


def test_problems_of_files_of_waivers_are_told_together(problems, tmp_path):
    (tmp_path / "a.toml").write_text("[[waiver]]\n")
    (tmp_path / "b.toml").write_text("x = [\n")
    (tmp_path / "c.toml").write_text("cpus = 1\n")
    found = problems('waivers = ["a.toml", "b.toml", "c.toml", "s.toml"]')
    assert [where.partition(":")[0] for where, _ in found] == [
        "a.toml", "a.toml", "b.toml", "c.toml", "s.toml",
    ]  # fmt: skip


def test_a_file_too_large(problems):
    ((where, message),) = problems("#" * (1 << 22) + "\n")
    assert (where, "4 MiB" in message) == ("s.toml", True)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("absent", ["absent: no such file"]),
        ("folder", ["is a directory"]),
        ("circle", ["cannot be read"]),
        ("a\0b", ["cannot be read"]),
        ("s.toml/x", ["cannot be read"]),
    ],
)
def test_what_cannot_be_read(read, tmp_path, name, parts):
    (tmp_path / "folder").mkdir()
    (tmp_path / "circle").symlink_to("circle")
    text = f"waivers = [{json.dumps(name)}]"
    read("", "s.toml")
    for act in (lambda: settings.read(name), lambda: read(text, "other.toml")):
        with pytest.raises(InputError) as caught:
            act()
        assert [part for part in parts if part not in str(caught.value)] == []


KEYS = st.sampled_from(
    ["profile", "cmdline", "cpus", "guest", "keep", "rules", "fail-on", "waivers", "sysctl", "qqq"]
)
VALUES = st.one_of(
    st.text(max_size=8).map(json.dumps), st.integers().map(str), st.sampled_from(["true", "false"]),
    st.sampled_from(["[]", "{}", "nan", "1.5", "2027-01-01", "[[]]", '["a", 1]', "{a = 1}", "x"]),
    st.lists(st.text(max_size=5), max_size=2).map(json.dumps),
)  # fmt: skip
HEADERS = st.sampled_from(
    ["[[waiver]]", "[[subject]]", "[waiver]", "[a.b]", 'rule = "a"', 'reason = "b"', 'path = "*"']
)
LINES = st.one_of(HEADERS, st.builds("{} = {}".format, KEYS, VALUES), st.text(max_size=10))


@given(st.lists(LINES, max_size=8).map("\n".join))
@example("waivers = ['\\u0000']")
@example('[[waiver]]\nrule = "a"\nreason = "b"\nexpires = 0001-01-01')
def test_any_document_is_read_or_refused(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_text(text, encoding="utf-8", errors="replace")
    places = []
    try:
        found = settings.read(str(path))
        places = [str(waiver.location) for waiver in found.waivers]
    except KnowledgeError as error:
        places = [where for where, _ in error.problems] or ["a problem without a place"]
    except InputError as error:  # a file of waivers that is none
        places = [f"{os.path.dirname(error.where)}/any.toml"]
    lines = text.count("\n") + 1
    for place in places:
        name, _, line = place.rpartition(":")
        assert name.endswith("/any.toml") if line.isdecimal() else place.endswith("/any.toml")
        assert not line.isdecimal() or 1 <= int(line) <= lines


# --- what no option takes, and no waiver can match ------------------------------------------------


@pytest.fixture(scope="session")
def built_in():
    return corpus.knowledge()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('profile = ["server-throughputs"]', "profile: there is no profile"),
        ('prefer = "server-throughputs"', "prefer: there is no profile"),
        ('fail-on = "shuld"', "fail-on: "),
        ('strength = "shall"', "strength: "),
        ('kernel = "latest"', "kernel: "),
        ('arch = "z80"', "arch: "),
        ('memory = "much"', "memory: "),
        ('vendor = "cyrix"', "vendor: "),
        ('cpus = 4\nisolate = "2-9"', "isolate: "),
    ],
)
def test_a_value_that_no_option_takes(read, built_in, text, told):
    with pytest.raises(KnowledgeError) as caught:
        check_values(read(text), built_in)
    ((where, message),) = caught.value.problems
    assert (where, message.startswith(told)) == ("s.toml", True)


def test_all_such_values_are_told(read, built_in):
    text = 'cpus = 4\nprofile = ["a", "b"]\nvendor = "c"\n[[subject]]\npath = "x"\nisolate = "9"\n'
    with pytest.raises(KnowledgeError) as caught:
        check_values(read(text), built_in)
    assert [where for where, _ in caught.value.problems] == ["s.toml"] * 3 + ["s.toml:4"]


def test_values_that_options_take(read, built_in):
    text = re.sub('"(a|b)"', '"server-throughput"', ALL)
    check_values(read(text), built_in)
    check_values(read('isolate = "2-7"'), built_in)  # the command line may tell the CPUs


# --- options of the command line come first -------------------------------------------------------


HOME = {one.name: name for name in GROUPS for one in GROUPS[name] if name in Request._fields[:6]}


def request(**options):
    """A request with these options, each in its group."""
    made = Request()
    for name, value in options.items():
        group = getattr(made, HOME[name])._replace(**{name: value})
        made = made._replace(**{HOME[name]: group})
    return made


def option(request, name):
    return getattr(getattr(request, HOME[name]), name)


@each(
    ("own", "options", "field", "value"),
    [
        ({}, {"cpus": 8}, "cpus", 8),
        ({"cpus": 4}, {"cpus": 8}, "cpus", 4),
        ({"guest": False}, {"guest": True}, "guest", False),
        ({}, {"guest": False}, "guest", False),
        ({"fail_on": "never"}, {"fail_on": "could"}, "fail_on", "never"),
        ({"this_machine": True}, {"cpus": 8}, "cpus", None),
        ({"this_machine": True}, {"isolate": "2-7"}, "isolate", "2-7"),
        ({"tree": "linux"}, {"kernel": "6.12"}, "kernel", None),
        ({}, {"profile": ("a",), "prefer": "a"}, "prefer", "a"),
        ({"profile": ("a", "b")}, {"profile": ("c",), "prefer": "b"}, "prefer", "b"),
        ({"profile": ("a",)}, {"profile": ("b",), "prefer": "b"}, "prefer", ""),
        ({"prefer": "z"}, {"profile": ("b",), "prefer": "b"}, "prefer", "z"),
        ({"rules": ("mine",)}, {"rules": ("ours",)}, "rules", ("ours", "mine")),
        ({"rules": ("./ours",)}, {"rules": ("ours",)}, "rules", ("./ours",)),
    ],
    ids=str,
)
def test_options_of_the_command_line_come_first(own, options, field, value):
    assert option(filled(request(**own), options), field) == value


# --- settings that a stranger wrote ---------------------------------------------------------------


@pytest.mark.parametrize("outside", ["../secret", "/etc/passwd", "a/../../secret"])
@pytest.mark.parametrize(
    "line",
    ['cmdline = "@{}"', 'sysctl = "{}"', 'runtime = "{}"', 'baseline = "{}"', 'rules = ["{}"]',
     'profiles = ["{}"]', 'waivers = ["{}"]', '[[subject]]\npath = "*"\ncmdline = "@{}"'],
)  # fmt: skip
def test_a_stranger_s_settings_name_files_of_the_repository_only(tmp_path, line, outside):
    root = tmp_path / "clone"
    root.mkdir()
    (tmp_path / "secret").write_text("password=hunter2\n")
    (root / "s.toml").write_text(line.format(outside))
    with pytest.raises(KnowledgeError) as caught:
        settings.read(RepositoryFile("s.toml", str(root)))
    ((where, message),) = caught.value.problems
    assert where == f"s.toml:{1 + line.count(chr(10))}" or line.startswith("[[")
    assert "leads out of the repository" in message
    assert "hunter2" not in message


def test_where_a_stranger_s_settings_name_files_they_are_of_the_same_place(tmp_path):
    text = 'cmdline = "@line"\nbaseline = "b.json"\nrules = ["../rules"]\nprofile = ["a"]\n'
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci/s.toml").write_text(text)
    here = RepositoryFile("ci/s.toml", str(tmp_path))
    assert settings.read(here, "1234").top.options == {
        "cmdline": RepositoryFile("ci/line", str(tmp_path), "1234"),
        "baseline": RepositoryFile("ci/b.json", str(tmp_path)),
        "rules": (RepositoryFile("rules", str(tmp_path)),),
        "profile": ("a",),
    }

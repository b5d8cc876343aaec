"""Which changed files matter, by content and name."""

from __future__ import annotations

import gzip
import lzma

import pytest

from advisor.inputs import git
from advisor.inputs.changes import (
    BOOT_LINES,
    Wanted,
    boot_file,
    is_configuration,
    matches,
    relevant,
)

FRAGMENT = "# why\nCONFIG_A=y\n# CONFIG_B is not set\n"
OTHERS = {
    "Kconfig": "config A\n\tbool 'CONFIG_A=y'\n\tdepends on B\nconfig B\n\tbool\n",
    "Makefile": "CONFIG_SHELL := sh\nobj-$(CONFIG_A) += a.o\nCONFIG_X=y\nall:\n\tmake\n",
    "a.c": "#ifdef CONFIG_A\n#define X CONFIG_A\n#endif\nint main;\n/* CONFIG_A=y */\n",
    "plain.sh": "#!/bin/sh\nCONFIG_A=1\nCONFIG_B=2\n",
    "env": "CONFIG_FILE=/etc/x\nCONFIG_DIR=/etc\n",
    "README.md": "Set this:\n\nCONFIG_A=y\n\nand then that.\n",
    "half": "CONFIG_A=y\nother\n",
    "patch.diff": "+CONFIG_A=y\n+# CONFIG_B is not set\n",
    "empty": "",
    "comments": "# CONFIG_A\n# CONFIG_B=y\n",
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_only_mentions_symbols_is_no_configuration(name):
    assert not is_configuration(OTHERS[name].encode())


@pytest.mark.parametrize(
    "text",
    [FRAGMENT, "# CONFIG_A is not set\n", 'CONFIG_A="x"\n', "CONFIG_A=-1\nCONFIG_B=0x10\n",
     "CONFIG_A=y\r\n# CONFIG_B is not set\r\n", "CONFIG_A=y # why\n",
     "x\nCONFIG_A=y\nCONFIG_B=m\n"],
)  # fmt: skip
def test_settings_make_a_configuration(text):
    assert is_configuration(text.encode())


@pytest.mark.parametrize(
    ("path", "wanted"),
    [("etc/kernel/cmdline", True), ("cmdline", True), ("a/b/cmdline.txt", True),
     ("x.cmdline", True),
     ("etc/cmdline.d/10.conf", True), ("cmdline.c", False), ("mycmdline", False),
     ("a.conf", False)],
)  # fmt: skip
def test_names_of_boot_lines(path, wanted):
    assert matches(path, BOOT_LINES) is wanted


def test_words_of_a_boot_line_keep_their_places():
    line = boot_file("# why\nquiet\n\n nohz=off\n", "cmdline", None).cmdline
    places = [line.place(word.column)[1:] for word in line.words]
    assert (line.text, places) == ("quiet nohz=off", [(2, 1), (4, 2)])


def seen(base, head="", **wanted):
    with git.blobs() as blobs:
        found = relevant(git.changed(base, head), Wanted(**wanted), blobs)
    return [(c.status, c.kind, c.old_path, c.path) for c in found]


@pytest.mark.parametrize("committed", [True, False], ids=["commits", "work-tree"])
def test_all_kinds_of_changes(repository, committed):
    first = repository.commit(
        {
            **dict.fromkeys(("gone", "mode", "becomes", "broken.xz"), FRAGMENT),
            "renamed": FRAGMENT * 20,
            "text": "text\n",
            "etc/cmdline": "quiet\n",
            **OTHERS,
        }
    )
    (repository.root / "mode").chmod(0o755)
    files = {name: text + "CONFIG_MORE\n" for name, text in OTHERS.items()}
    repository.write(
        {
            **files,
            "gone": None,
            "renamed": None,
            "moved": FRAGMENT * 20 + "CONFIG_C=y\n",
            "becomes": "text\n",
            "text": FRAGMENT,
            "etc/cmdline": "",
            "new.cmdline": "CONFIG_A=y\n",
            "packed.gz": gzip.compress(FRAGMENT.encode()),
            "packed.xz": lzma.compress(FRAGMENT.encode()),
            "broken.xz": lzma.compress(FRAGMENT.encode())[:-20],
            "bin.xz": b"\xfd7zXZ\0nonsense",
            "cmdline": b"\0",
        }
    )
    repository.git("add", "--all")
    head = repository.commit() if committed else ""
    assert seen(first, head) == [
        ("changed", "configuration", "becomes", "becomes"),
        ("changed", "configuration", "broken.xz", "broken.xz"),
        ("changed", "boot line", "etc/cmdline", "etc/cmdline"),
        ("deleted", "configuration", "gone", "gone"),
        ("renamed", "configuration", "renamed", "moved"),
        ("added", "configuration", "new.cmdline", "new.cmdline"),
        ("added", "configuration", "packed.gz", "packed.gz"),
        ("added", "configuration", "packed.xz", "packed.xz"),
        ("changed", "configuration", "text", "text"),
    ]


def test_a_side_that_cannot_be_read_is_told(repository):
    first = repository.commit({"a.xz": lzma.compress(FRAGMENT.encode())})
    repository.commit({"a.xz": lzma.compress(FRAGMENT.encode())[:-20]})
    with git.blobs() as blobs:
        (found,) = relevant(git.changed(first, "HEAD"), Wanted(), blobs)
    assert (found.old, found.new) == (FRAGMENT, None)
    assert "cut short" in found.problem.message


def test_patterns_choose(repository):
    first = repository.commit()
    names = ["a.config", "dir/a.config", "dir/b.config", "my/line"]
    repository.commit(dict.fromkeys(names[:3], FRAGMENT) | {names[3]: "quiet\n"})
    paths = lambda **wanted: [path for *_, path in seen(first, "HEAD", **wanted)]  # noqa: E731
    assert paths() == names[:3]
    assert paths(include=["dir/*"]) == names[1:3]
    assert paths(include=["a.config"]) == names[:2]
    assert paths(exclude=["b.config"]) == names[:2]
    assert paths(include=["dir/*"], exclude=["a.*"]) == ["dir/b.config"]
    assert paths(boot_lines=["line"]) == names


@pytest.mark.slow
def test_a_bomb_costs_no_more_than_its_beginning(repository):
    first = repository.commit()
    repository.commit({"bomb.xz": lzma.compress(b"\0" * (64 << 20))})
    assert seen(first, "HEAD") == []

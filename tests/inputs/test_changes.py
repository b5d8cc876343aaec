"""Which changed files matter, by content and name."""

from __future__ import annotations

import gzip
import lzma

import pytest

from advisor.errors import InputError
from advisor.inputs import bootfiles, changes, git
from advisor.inputs.changes import (
    BOOT_LINES,
    Wanted,
    is_configuration,
    matches,
    relevant,
)

from ..cases import each

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


@each("name", OTHERS)
def test_what_only_mentions_symbols_is_no_configuration(name):
    assert not is_configuration(OTHERS[name].encode())


@each(
    "text",
    [FRAGMENT, "# CONFIG_A is not set\n", 'CONFIG_A="x"\n', "CONFIG_A=-1\nCONFIG_B=0x10\n",
     "CONFIG_A=y\r\n# CONFIG_B is not set\r\n", "CONFIG_A=y # why\n",
     "x\nCONFIG_A=y\nCONFIG_B=m\n"],
)  # fmt: skip
def test_settings_make_a_configuration(text):
    assert is_configuration(text.encode())


@each(
    ("path", "wanted"),
    [("etc/kernel/cmdline", True), ("cmdline", True), ("a/b/cmdline.txt", True),
     ("x.cmdline", True),
     ("etc/cmdline.d/10.conf", True), ("cmdline.c", False), ("mycmdline", False),
     ("a.conf", False)],
)  # fmt: skip
def test_names_of_boot_lines(path, wanted):
    assert matches(path, BOOT_LINES) is wanted


def test_words_of_a_boot_line_keep_their_places():
    line = bootfiles.read("# why\nquiet\n\n nohz=off\n", "cmdline", bootfiles.PLAIN).cmdline
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


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [("etc/default/grub", "etc/default/grubx", {}), ("cmdline.txt", "CMDLINE.TXT", {}),
     ("a.x", "b.x", {"include": ["a.*"]}), ("a.x", "no/a.x", {"exclude": ["no/*"]}),
     ("a.x", "b.x", {"must_judge": ["a.x"]})],
)  # fmt: skip
def test_nothing_is_moved_out_of_sight(repository, old, new, wanted):
    lines = "# a comment\n" * 9 + "CONFIG_A=y\n"
    first = repository.commit({old: lines + "CONFIG_B=y\n"})
    repository.git("rm", "--quiet", old)
    repository.commit({new: lines})
    ((status, *_, path),) = seen(first, "HEAD", **wanted)
    assert (status, path) == ("renamed", new)


@pytest.mark.parametrize(
    ("path", "content"),
    [("etc/kernel/cmdline", b"#!quiet\n"), ("cmdline.txt", b"#!/bin/sh quiet\n"),
     ("cmdline.d/a.conf", b"quiet\0\n"), ("a.config", b"CONFIG_A=y\nx\nx\n"),
     ("a/b_defconfig", b'#!/bin/sh\nCONFIG_A="x"\n')],
)  # fmt: skip
def test_no_other_line_hides_what_a_name_tells(repository, path, content):
    first = repository.commit()
    repository.commit({path: content})
    assert [name for *_, name in seen(first, "HEAD")] == [path]


@pytest.mark.parametrize("path", ["a.config", "boot/cmdline"])
def test_a_link_in_the_place_of_a_file_is_told(repository, path):
    files = {"x": "CONFIG_A=y\n", "y": "CONFIG_A=n\n"}
    first = repository.commit({**files, path: "CONFIG_A=y\n"})
    link = repository.root / path
    for target in files:  # instead of the file, and then to another one
        link.unlink()
        link.symlink_to(target)
        second = repository.commit()
        with git.blobs() as blobs:
            (found,) = relevant(git.changed(first, second), Wanted(), blobs)
        assert (found.path, found.problem.message) == (path, "is a symbolic link now")
        first = second


def test_many_files_are_no_review(repository, monkeypatch):
    first = repository.commit()
    repository.commit(dict.fromkeys(("a.config", "b.config"), FRAGMENT))
    for name, most in (("MOST", 1), ("MOST_TEXT", 2 * len(FRAGMENT) - 1)):
        with monkeypatch.context() as patch:
            patch.setattr(changes, name, most)
            with pytest.raises(InputError, match="to review"):
                seen(first, "HEAD")
    assert len(seen(first, "HEAD")) == 2


def test_a_packed_text_is_as_large_as_people_write(repository):
    first = repository.commit()
    text = b"CONFIG_A=y\n" * (changes.LARGEST // 11 + 1)
    repository.commit({"a.config.xz": lzma.compress(text)})
    with git.blobs() as blobs:
        (found,) = relevant(git.changed(first, "HEAD"), Wanted(), blobs)
    assert "more than 8 MiB" in found.problem.message


@pytest.mark.slow
def test_a_bomb_costs_no_more_than_its_beginning(repository):
    first = repository.commit()
    repository.commit({"bomb.xz": lzma.compress(b"\0" * (64 << 20))})
    assert seen(first, "HEAD") == []

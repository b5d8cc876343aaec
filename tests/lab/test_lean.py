"""Builds without a compiler: what is done once, what goes on, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from advisor.errors import InputError, UsageError
from lab import lean
from lab.lean import Builder

SIZES = "   text\t   data\t    bss\t    dec\n   1000\t    200\t     30\t   1230\n"
AUDIT = "CONFIG_AUDIT=y\n"


class Compiles(Builder):
    """Takes the words of make and does in a moment what comes of them."""

    fails = False

    def __init__(self, folder):
        super().__init__(folder, lambda _: None)
        self.commands = []

    def _run(self, *command, environment=None):
        words = [word.rpartition("/")[2] for word in command]
        self.commands.append(words[-1])
        config = self._objects / ".config"
        if "alldefconfig" in words:
            config.write_text("CONFIG_SMP=y\n# CONFIG_AUDIT is not set\n")
        elif "merge_config.sh" in words:
            config.write_text("".join(Path(word).read_text() for word in command[-2:]))
        elif "olddefconfig" in words:
            lines = dict.fromkeys(config.read_text().replace("CONFIG_LOST=y\n", "").splitlines())
            lines.pop("# CONFIG_AUDIT is not set", None)
            config.write_text("\n".join([*lines, ""]))
        elif words[0] == "cp":
            shutil.copytree(command[-2], command[-1])
        elif "bzImage" in words:
            if self.fails:
                raise InputError("interrupted")
            image = self._objects / "arch/x86/boot/bzImage"
            image.parent.mkdir(parents=True, exist_ok=True)
            image.write_bytes(config.read_bytes())
        return SIZES if words[0] == "size" else ""

    def done(self):
        """What was run since the last time."""
        commands, self.commands = self.commands, []
        return commands


@pytest.fixture
def builder(tmp_path, monkeypatch):
    archive = tmp_path / "linux-source-6.12.tar.xz"
    archive.write_bytes(b"x")
    monkeypatch.setattr(lean, "_ARCHIVE", archive)
    monkeypatch.setattr(lean, "_TOOLS", {})
    return Compiles(tmp_path / "lab")


def test_what_is_built_is_not_built_again(builder):
    base = builder.base()
    steps = [lean._ARCHIVE.name, "alldefconfig", "bzImage", "vmlinux", "kbuild.base.new"]
    assert builder.done() == steps
    assert base.source.startswith("linux-source-6.12 ")
    assert lean.sizes(base) == {"text": 1000, "data": 200, "bss": 30, "image": 39}
    kernel = builder.with_fragment("audit=on", AUDIT)
    assert builder.done() == ["kbuild.new", "fragment", "olddefconfig", "bzImage", "vmlinux"]
    assert kernel.config.read_text() == "CONFIG_SMP=y\nCONFIG_AUDIT=y\n"
    builder.base()
    builder.with_fragment("audit=on", AUDIT)
    assert builder.done() == []


def test_what_was_interrupted_goes_on(builder):
    base = builder.base()
    builder.fails = True
    with pytest.raises(InputError):
        builder.with_fragment("audit=on", AUDIT)
    assert not builder.kernel("audit=on").image.exists()
    assert builder.kept("audit=on", lean.digest_of(base.config)) == AUDIT
    builder.fails = False
    builder.done()
    assert builder.with_fragment("audit=on", AUDIT).image.exists()
    assert builder.done() == ["fragment", "olddefconfig", "bzImage", "vmlinux"]


def test_each_starts_from_the_objects_of_the_kernel_as_it_is(builder):
    builder.base()
    (builder._plain / "of-base").touch()
    builder.with_fragment("audit=on", AUDIT)
    (builder._objects / "of-audit").touch()
    builder.with_fragment("psi=on", "CONFIG_PSI=y\n")
    assert (builder._objects / "of-base").exists()
    assert not (builder._objects / "of-audit").exists()


def test_without_those_objects_the_kernel_as_it_is_is_built_again(builder):
    builder.base()
    shutil.rmtree(builder._plain)
    builder.done()
    builder.base()
    assert builder.done() == ["alldefconfig", "bzImage", "vmlinux", "kbuild.base.new"]


def test_a_fragment_for_another_base_is_not_kept(builder):
    builder.base()
    builder.with_fragment("audit=on", AUDIT)
    assert builder.kept("audit=on", "another") == ""


def test_a_line_that_does_not_hold_is_refused(builder):
    builder.base()
    with pytest.raises(UsageError, match=r"LOST=y does not hold: it comes to n"):
        builder.with_fragment("lost=on", f"{AUDIT}CONFIG_LOST=y\n")


def test_without_the_source_nothing_is_built(tmp_path, monkeypatch):
    monkeypatch.setattr(lean, "_ARCHIVE", tmp_path / "none")
    with pytest.raises(UsageError) as raised:
        Builder(tmp_path / "lab", print)
    assert "linux-source-6.12" in str(raised.value)

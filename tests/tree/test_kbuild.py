"""How the tree's own tools are run: on a tree of a few lines, with scripts in the tools' place."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from advisor.errors import TreeError
from advisor.inputs.config import parse_config
from advisor.tree.kbuild import make_arch, prove
from advisor.tree.proof import Difference, Lost, refreshed, verify

BASE = "CONFIG_64BIT=y\nCONFIG_HZ_250=y\n# CONFIG_HZ_1000 is not set\nCONFIG_GONE=y\n"
FRAGMENT = "CONFIG_HZ_1000=y\n# CONFIG_HZ_250 is not set\n"
# What a user of make has set, and which would lead it astray.
FOREIGN = {
    "KBUILD_OUTPUT": "/elsewhere", "KCONFIG_CONFIG": "/elsewhere", "KCONFIG_ALLCONFIG": "1",
    "MAKEFLAGS": "-n", "GNUMAKEFLAGS": "-n", "MAKEFILES": "/elsewhere", "O": "/elsewhere",
    "ARCH": "arm", "sub_make_done": "1", "srctree": "/elsewhere", "CONFIG_": "X_", "V": "1",
    "abs_objtree": "/elsewhere", "BASH_ENV": "/elsewhere",
}  # fmt: skip
OWN = {"LLVM": "1", "HOSTCFLAGS": "-O1", "KEPT": "1"}
# Finds the O= folder and the target, and tells the log.
MAKE = """\
#!/bin/sh
for word; do case $word in O=*) out=${word#O=} ;; esac; target=$word; done
echo "make $*" >>"$LOG"
env >"$LOG.env"
echo "stdin: $(wc -c) bytes" >>"$LOG"
"""
# A conf to which GONE is unknown.
CONF = """\
grep -v CONFIG_GONE "$out/.config" >"$out/new" || exit 3
mv "$out/new" "$out/.config"
"""
MERGE = """\
#!/bin/sh
echo "merge $*" >>"$LOG"
[ "$1" = -m ] || exit 3
shift
[ "$1" = "-O" ] && { out=$2; shift 2; }
cat "$1" "$2" >"$out/.config"
echo "Value of CONFIG_HZ_250 is redefined by fragment $2:"
"""
# Into the folder where it runs, as up to 3.6.
OLD_MERGE = """\
#!/bin/sh
echo "merge $*" >>"$LOG"
cat "$2" "$3" >.config
"""


class Host(SimpleNamespace):
    """A tree, a folder of tools that is all of PATH beside the system's own, and their log."""

    tree: Path
    tools: Path
    scratch: Path
    logged: Path

    def tool(self, name: str, text: str = "#!/bin/sh\n") -> None:
        path = self.tools / name
        path.write_text(text)
        path.chmod(0o755)

    def conf(self, text: str) -> None:
        """What make does after it has written its log."""
        self.tool("make", MAKE + text)

    def write(self, name: str, text: str = "") -> None:
        path = self.tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def prove(self, config=BASE, fragment=FRAGMENT, arch="x86", **more):
        return prove(str(self.tree), arch, config, fragment, **more)

    def error(self, **more) -> TreeError:
        with pytest.raises(TreeError) as caught:
            self.prove(**more)
        assert caught.value.exit_code == 5
        assert caught.value.where
        assert list(self.scratch.iterdir()) == []
        return caught.value

    @property
    def log(self) -> list[str]:
        return self.logged.read_text().splitlines()


@pytest.fixture
def host(tmp_path, monkeypatch):
    """All that a proof needs, and nothing of the real tools."""
    found = Host(**{name: tmp_path / name for name in ("tree", "tools", "scratch")})
    for folder in (found.tree, found.tools, found.scratch):
        folder.mkdir()
    found.logged = tmp_path / "log"
    found.write("Makefile", "VERSION = 6\nPATCHLEVEL = 12\nifneq ($(LLVM),)\nendif\n")
    found.write("Kconfig", 'mainmenu "Linux/$(ARCH) $(KERNELVERSION) Kernel Configuration"\n')
    found.write("init/Kconfig")
    for arch in ("x86", "arm64", "sparc"):
        found.write(f"arch/{arch}/Kconfig")
    found.write("scripts/kconfig/Makefile", "simple-targets := oldconfig olddefconfig\n")
    found.write("scripts/kconfig/conf.c")
    found.write("scripts/kconfig/merge_config.sh", MERGE)
    found.write("scripts/Kconfig.include")
    for name in ("gcc", "ld", "flex", "bison", "clang", "ld.lld"):
        found.tool(name)
    found.conf(CONF)
    # The system's own, without those that a test takes away.
    for name in ("sh", "cat", "cp", "env", "grep", "mv", "rm", "seq", "sleep", "wc"):
        real = next(f for f in map(Path, (f"/bin/{name}", f"/usr/bin/{name}")) if f.exists())
        (found.tools / name).symlink_to(real)
    monkeypatch.setenv("PATH", str(found.tools))
    monkeypatch.setenv("LOG", str(found.logged))
    for name in ("CROSS_COMPILE", "LLVM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(found.scratch))
    return found


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """All that is in the folder, with times and sizes."""
    return {
        str(path): (path.lstat().st_mtime_ns, path.lstat().st_size)
        for path in (folder, *folder.rglob("*"))
    }


def test_base_and_fragment_go_through_the_trees_own_tools(host):
    before = listing(host.tree)
    proof = host.prove()
    assert proof.base == {"64BIT": "y", "HZ_250": "y", "HZ_1000": "n"}
    assert proof.result == {"64BIT": "y", "HZ_250": "n", "HZ_1000": "y"}
    assert proof.base_text == BASE.replace("CONFIG_GONE=y\n", "")
    assert proof.result_text == proof.base_text + FRAGMENT
    assert proof.log.startswith("Value of CONFIG_HZ_250 is redefined by fragment")
    assert (proof.warnings, proof.notes) == ((), ())
    made, stdin, merged, *again = host.log
    scratch = made.partition(" O=")[2].split()[0]
    assert made == f"make -s -C {host.tree} O={scratch} ARCH=x86_64 olddefconfig"
    assert stdin == "stdin: 0 bytes"
    assert merged == f"merge -m -O {scratch} base.config fragment.config"
    assert again == [made, stdin]
    assert Path(scratch).parent == host.scratch
    assert list(host.scratch.iterdir()) == []
    assert listing(host.tree) == before


@pytest.mark.parametrize(
    ("arch", "config", "made"),
    [
        ("x86", "CONFIG_64BIT=y\n", "x86_64"),
        ("x86", "CONFIG_HZ=100\n", "x86_64"),
        ("x86", "", "x86_64"),
        ("x86", "CONFIG_HZ=100\n# CONFIG_64BIT is not set\n", "i386"),
        ("x86", "CONFIG_X86_32=y\n", "i386"),
        ("x86_64", "CONFIG_X86_32=y\n", "x86_64"),
        ("arm64", "CONFIG_64BIT=y\n", "arm64"),
        ("sparc", "CONFIG_64BIT=y\n", "sparc"),
    ],
)
def test_make_is_told_the_architecture(host, arch, config, made):
    assert make_arch(arch, config) == made
    host.conf("echo CONFIG_A=y >>$out/.config\n")
    host.prove(config, arch=arch)
    assert f" ARCH={made} " in host.log[0]


def test_the_tools_see_the_users_toolchain_and_none_of_its_orders(host, monkeypatch):
    for name, value in {**FOREIGN, **OWN, "LC_ALL": "de_DE.UTF-8"}.items():
        monkeypatch.setenv(name, value)
    host.prove()
    text = Path(f"{host.logged}.env").read_text()
    seen = dict(line.split("=", 1) for line in text.splitlines() if "=" in line)
    assert {name: seen.get(name) for name in OWN} == OWN
    assert not FOREIGN.keys() & seen.keys()
    assert (seen["LC_ALL"], seen["PYTHONDONTWRITEBYTECODE"]) == ("C", "1")
    assert seen["TMPDIR"].startswith(str(host.scratch))


def test_a_configuration_may_be_empty_or_oddly_written(host):
    host.conf("[ -f $out/.config ] || exit 3\necho CONFIG_A=y >>$out/.config\n")
    assert host.prove("").base == {"A": "y"}
    text = 'CONFIG_B="\udcff\u00e4"\nCONFIG_C=y\r\n'
    assert host.prove(text).base == {"A": "y", "B": '"\ufffd\u00e4"', "C": "y"}


# Old trees


def test_a_script_that_knows_no_folder_runs_in_it(host):
    host.write("scripts/kconfig/merge_config.sh", OLD_MERGE)
    assert host.prove().result["HZ_1000"] == "y"
    assert host.log[2] == "merge -m base.config fragment.config"


def test_without_the_script_the_fragments_lines_replace_the_bases(host):
    (host.tree / "scripts/kconfig/merge_config.sh").unlink()
    host.write("scripts/kconfig/Makefile", "listnewconfig oldnoconfig: $(obj)/conf\n")
    proof = host.prove()
    assert proof.result_text == "CONFIG_64BIT=y\n" + FRAGMENT
    assert host.log[0].endswith(" oldnoconfig")


def test_a_tree_without_a_fit_target_is_too_old(host):
    host.write("scripts/kconfig/Makefile", "oldconfig: $(obj)/conf\n")
    assert "2.6.36" in host.error().hint


# What is missing or unfit, told before anything runs


def test_missing_tools_are_named_with_their_packages(host):
    for name in ("make", "gcc", "flex", "bison", "ld"):
        (host.tools / name).unlink()
    error = host.error()
    assert error.message == "not found: make, gcc, flex, bison, ld"
    assert error.hint == "Debian, Fedora: install make gcc flex bison binutils"
    assert not host.logged.exists()


@pytest.mark.parametrize(
    "shipped",
    [
        ("zconf.lex.c_shipped", "zconf.tab.c_shipped"),
        ("lex.zconf.c_shipped", "zconf.tab.c_shipped"),
    ],
)
def test_old_trees_need_no_flex_and_no_bison(host, shipped):
    for name in shipped:
        host.write(f"scripts/kconfig/{name}")
    for name in ("flex", "bison"):
        (host.tools / name).unlink()
    host.prove()


def test_old_trees_do_not_ask_the_cross_compiler(host, monkeypatch):
    monkeypatch.setenv("CROSS_COMPILE", "none-")
    assert host.error().message == "not found: none-gcc, none-ld"
    (host.tree / "scripts/Kconfig.include").unlink()
    host.prove()


@pytest.mark.parametrize(
    ("variable", "value", "missing", "hint"),
    [
        (
            "CROSS_COMPILE", "x86_64-linux-gnu-", "x86_64-linux-gnu-gcc, x86_64-linux-gnu-ld",
            "Debian: install gcc-x86-64-linux-gnu binutils-x86-64-linux-gnu; "
            "Fedora: gcc-x86_64-linux-gnu binutils-x86_64-linux-gnu; "
            "CROSS_COMPILE and LLVM in the environment choose the compiler",
        ),
        (
            "CROSS_COMPILE", "/opt/none-", "/opt/none-gcc, /opt/none-ld",
            "check CROSS_COMPILE and LLVM in the environment",
        ),
        (
            "CROSS_COMPILE", "ccache ", "ccache",
            "Debian, Fedora: install ccache; "
            "CROSS_COMPILE and LLVM in the environment choose the compiler",
        ),
        (
            "LLVM", "-99", "clang-99, ld.lld-99",
            "Debian, Fedora: install clang-99 lld-99; "
            "CROSS_COMPILE and LLVM in the environment choose the compiler",
        ),
    ],
)  # fmt: skip
def test_the_chosen_compiler_is_looked_for(host, monkeypatch, variable, value, missing, hint):
    monkeypatch.setenv(variable, value)
    error = host.error()
    assert (error.message, error.hint) == (f"not found: {missing}", hint)


def test_llvm_needs_no_gcc_where_the_tree_knows_it(host, monkeypatch):
    monkeypatch.setenv("LLVM", "1")
    for name in ("gcc", "ld"):
        (host.tools / name).unlink()
    host.prove()
    host.write("Makefile", "VERSION = 4\nPATCHLEVEL = 19\n")
    assert host.error().message == "not found: gcc, ld"


@pytest.mark.parametrize(
    "name", [".config", "include/config/auto.conf", "arch/x86/include/generated/asm/a.h"]
)
def test_a_tree_that_was_built_in_is_refused(host, name):
    host.write(name)
    error = host.error()
    assert error.message.startswith("the source tree is not clean: it has ")
    assert "mrproper" in error.hint
    assert not host.logged.exists()


def test_a_tree_that_calls_itself_unclean_is_refused(host):
    host.conf("echo '*** The source tree is not clean, please run make mrproper'; exit 2\n")
    assert host.error().message == "the source tree is not clean: it says so itself"


@pytest.mark.parametrize(
    ("name", "shown"), [("a b", "a space"), ("a:b", "a colon"), ("it's", '"\'"'), ("a%b", "'%'")]
)
def test_paths_that_kbuild_cannot_bear_are_refused(host, monkeypatch, name, shown):
    message = f"kbuild cannot work in a folder with {shown} in its path: "
    parent = host.scratch.parent / name
    parent.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(parent))
        error = host.error()
    assert (error.where, error.message) == ("TMPDIR", message + str(parent))
    # A link with a good name does not help, and one with a bad name does not harm.
    host.tree = host.tree.rename(parent / "tree")
    (host.scratch.parent / "link").symlink_to(parent / "tree")
    host.tree = host.scratch.parent / "link"
    assert host.error().message == message + str(parent / "tree")
    assert not host.logged.exists()
    (parent / "tree").rename(host.scratch.parent / "good")
    (parent / "link").symlink_to(host.scratch.parent / "good")
    host.tree = parent / "link"
    host.prove()


def test_a_scratch_folder_that_cannot_be_used(host, monkeypatch):
    real = os.statvfs
    monkeypatch.setattr(tempfile, "tempdir", str(host.scratch / "none"))
    assert "TMPDIR" in host.error().hint
    monkeypatch.setattr(tempfile, "tempdir", str(host.scratch))
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    assert host.error().message == "is mounted noexec"
    monkeypatch.setattr(os, "statvfs", real)
    host.prove()


def test_what_is_no_whole_kernel_tree_is_refused(host):
    assert "'mips'" in host.error(arch="mips").message
    (host.tree / "scripts/kconfig/conf.c").unlink()
    assert host.error().message == "has no scripts/kconfig/conf.c"
    (host.tree / "Kconfig").unlink()
    assert host.error().message == "no Kconfig file in this folder"


# Commands that fail


def test_a_failure_tells_the_last_lines(host):
    host.conf("seq 30; echo; printf 'a\\tb\\033[31m\\377\\n' >&2; exit 2\n")
    error = host.error()
    first, *told = error.message.split("\n  ")
    assert first == "make olddefconfig ended with 2:"
    assert told == [*map(str, range(17, 31)), "a b?[31m\ufffd"]
    assert error.hint == "to see the whole output: make -C TREE O=SCRATCH ARCH=x86_64 olddefconfig"


@pytest.mark.parametrize(
    ("conf", "message", "hint"),
    [
        ("exit 2\n", "make olddefconfig ended with 2 and printed nothing", "make -C"),
        ("kill -TERM $$\n", "make olddefconfig was killed by signal 15 and printed", "make -C"),
        ("rm $out/.config\n", "olddefconfig wrote no configuration", "complete"),
        (
            "echo 'conf.c:9:10: fatal error: stdio.h: No such file or directory'; exit 2\n",
            "make olddefconfig ended with 2:\n  conf.c:9:10", "libc6-dev",
        ),
    ],
)  # fmt: skip
def test_other_failures(host, conf, message, hint):
    host.conf(conf)
    error = host.error()
    assert error.message.startswith(message)
    assert hint in error.hint


def test_the_script_may_fail_too(host):
    host.write("scripts/kconfig/merge_config.sh", "echo 'no mktemp'; exit 127\n")
    assert host.error().message == "merge_config.sh ended with 127:\n  no mktemp"


def test_a_tool_that_cannot_be_started(host):
    host.tool("make", "#!/nowhere/sh\n")
    assert host.error().message.startswith("cannot run make: No such file")


HANG = "sleep 600 & echo $! >$LOG.pid\necho waiting\nwait\n"


def pid_of_child(host: Host) -> int:
    """The process that the hanging make has started."""
    path = Path(f"{host.logged}.pid")
    for _ in range(600):
        if path.exists() and path.read_text().endswith("\n"):
            return int(path.read_text())
        time.sleep(0.05)
    raise AssertionError("it was not started")


def ended(pid: int) -> bool:
    """Whether the process is gone, but for its entry, within some seconds."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


def test_a_timeout_ends_all_processes(host):
    host.conf(HANG)
    error = host.error(timeout=3)
    assert error.message == "make olddefconfig took more than 3 s:\n  waiting"
    assert ended(pid_of_child(host))


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_all_processes(host):
    host.conf(HANG)

    def interrupt() -> None:
        pid_of_child(host)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        host.prove()
    thread.join()
    assert ended(pid_of_child(host))
    assert list(host.scratch.iterdir()) == []


def test_what_stays_in_the_background_is_not_waited_for(host):
    host.conf(CONF + "sleep 20 &\n")
    start = time.monotonic()
    host.prove()
    assert time.monotonic() - start < 15


# What the tools say


def test_warnings_about_the_fragment_are_told(host):
    host.conf(
        CONF
        + """\
echo "  HOSTCC  scripts/kconfig/conf.o"
echo ".config:7:warning: symbol value 'm' invalid for HZ_1000"
echo ".config:8:warning: symbol value 'm' invalid for HZ_10000"
echo "WARNING: unmet direct dependencies detected for OTHER"
echo "  Depends on [n]: MISSING [=n]"
echo "  Selected by [y]:"
printf '\\t- HZ_1000 [=y] && X [=y]\\n'
echo "HZ_1000 is fine"
"""
    )
    assert host.prove().warnings == (
        ".config:7:warning: symbol value 'm' invalid for HZ_1000",
        "WARNING: unmet direct dependencies detected for OTHER Depends on [n]: MISSING [=n] "
        "Selected by [y]: - HZ_1000 [=y] && X [=y]",
    )


COMPILER = 'CONFIG_CC_VERSION_TEXT="{}"\n'
THIS = "gcc (Distribution 1.2-3) 14.2.0"


@pytest.mark.parametrize(
    ("arch", "environment", "recorded", "notes"),
    [
        ("x86", {}, THIS, []),
        ("x86", {}, f"x86_64-linux-gnu-{THIS}", []),
        ("x86", {}, "gcc (Other) 12", ["was made with gcc (Other) 12, the proof with gcc (Dis"]),
        ("arm64", {}, THIS, ["this machine's compiler, gcc (Distribut"]),
        ("arm64", {"CROSS_COMPILE": "ccc-"}, THIS, []),
        ("arm64", {"LLVM": "1"}, THIS, []),
    ],
)
def test_notes_on_the_compiler(host, monkeypatch, arch, environment, recorded, notes):
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="x86_64"))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for name in ("ccc-gcc", "ccc-ld"):
        host.tool(name)
    text = COMPILER.format(THIS)
    host.conf(f"grep -v CC_VERSION $out/.config >$out/new\necho '{text.strip()}' >>$out/new\n"
              "mv $out/new $out/.config\n")  # fmt: skip
    told = host.prove(BASE + COMPILER.format(recorded), arch=arch).notes
    assert len(told) == len(notes)
    assert all(part in note for part, note in zip(notes, told, strict=True))


def test_a_fragment_is_verified_against_what_came_out(host):
    fragment = parse_config(f"{FRAGMENT}CONFIG_GONE=y\n", "x.config", complete=False)
    foreseen = []

    def predict(lines):
        foreseen.append(lines)
        return {"64BIT": "y", "HZ_250": "y", "HZ_1000": "y"}

    with refreshed(BASE, "base", "x86", str(host.tree)) as (build, config):
        # What this tree's conf does not know is gone before anything is merged.
        assert (config.get("HZ_250"), config.get("GONE"), config.complete) == ("y", None, True)
        verification = verify(build, fragment, predict)
    assert foreseen == [(("HZ_1000", "y"), ("HZ_250", "n"), ("GONE", "y"))]
    assert verification.comparison.lost == (Lost("GONE", "y", None),)
    assert verification.comparison.differences == (Difference("HZ_250", "y", "n"),)
    assert list(host.scratch.iterdir()) == []


def test_a_verification_ends_where_the_tools_fail(host):
    host.conf("echo 'it broke'; exit 2\n")
    with (
        pytest.raises(TreeError, match="ended with 2"),
        refreshed(BASE, "b", "x86", str(host.tree)),
    ):
        pytest.fail("what cannot be refreshed is not proven")
    assert list(host.scratch.iterdir()) == []

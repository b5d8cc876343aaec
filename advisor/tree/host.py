"""What a machine must have to run a kernel's own build: tools, clean folders, an environment."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from advisor.errors import TreeError
from advisor.tree.files import TreeFiles
from advisor.tree.kconfig.text import printable
from advisor.tree.toolchain import tools_of_make

# What make, the kernel's makefiles, conf and merge_config.sh would take from the environment for an
# order: what to read, where to write. sub_make_done, which a kernel's make exports, would even have
# them write into the source.
_FOREIGN = re.compile(
    r"(KCONFIG|KBUILD|CONFIG|MAKE|GNUMAKE|abs_)\w*|MFLAGS|O|V|W|C|M|ARCH|SRCARCH|UTS_MACHINE"
    r"|VPATH|srctree|objtree|srcroot|sub_make_done|building_out_of_srctree|KERNELVERSION"
    r"|KERNELRELEASE|BASH_ENV|ENV|CDPATH"
)
# What makefiles or a shell would not take as a part of a name.
_UNFIT = re.compile(r"""[\s:'"$#%\\&;|<>()*?\[\]`]""")
# The packages of Debian and Fedora, where they do not have the tool's name.
_PACKAGES = {"ld": "binutils"}
_HOST = ("make", "gcc", "flex", "bison", "ld")
_BY_LLVM = re.compile(r"\$\(LLVM\)")


def environment(scratch: str) -> dict[str, str]:
    """The caller's environment without what would lead the build elsewhere.

    The user's toolchain stays (PATH, CROSS_COMPILE, LLVM), as make would take it.
    """
    kept = {name: value for name, value in os.environ.items() if not _FOREIGN.fullmatch(name)}
    # Whatever a killed compiler leaves goes with the scratch folder; python scripts of the tree
    # would keep their bytecode beside themselves.
    return {**kept, "LC_ALL": "C", "TMPDIR": scratch, "PYTHONDONTWRITEBYTECODE": "1"}


@contextmanager
def scratch_folder() -> Iterator[str]:
    """A folder that is gone afterwards, below TMPDIR; raises TreeError if kbuild cannot use it."""
    try:
        parent = os.path.realpath(tempfile.gettempdir())
        check_path(parent, "TMPDIR", "set TMPDIR to a folder with another path")
        if os.statvfs(parent).f_flag & os.ST_NOEXEC:
            hint = "set TMPDIR to a folder where programs may run: conf is built there"
            raise TreeError("is mounted noexec", where=parent, hint=hint)
        folder = tempfile.TemporaryDirectory("", "kernel-advisor-", parent, True)
    except OSError as error:
        hint = "set TMPDIR to a folder that you may write to"
        raise TreeError(
            f"cannot make a scratch folder: {error.strerror}", where="TMPDIR", hint=hint
        ) from error
    with folder as path:
        yield path


def check_path(path: str, where: str, hint: str) -> None:
    """Raises TreeError if the (real) path has a character that kbuild does not bear."""
    if unfit := _UNFIT.search(path):
        name = {" ": "a space", ":": "a colon"}.get(unfit[0], repr(unfit[0]))
        message = f"kbuild cannot work in a folder with {name} in its path: {printable(path)}"
        raise TreeError(message, where=where, hint=hint)


def check_clean(files: TreeFiles, folder: str, where: str) -> None:
    """Raises TreeError if something was built in the source, as `outputmakefile` of 5.4 to 7.1.

    Older kernels find that out only when they build; `folder` is the one under arch/.
    """
    for name in (".config", "include/config", f"arch/{folder}/include/generated"):
        if files.has(name):
            raise not_clean(where, f"has {name}")


def not_clean(where: str, symptom: str) -> TreeError:
    """The error for a source tree in which something was built; `symptom` tells what shows it."""
    hint = (
        "kbuild needs a clean tree: name a clean copy of the source (git worktree add), or save "
        "the tree's .config and run make mrproper in the tree"
    )
    return TreeError(f"the source tree is not clean: it {symptom}", where=where, hint=hint)


def check_tools(files: TreeFiles, variables: Mapping[str, str]) -> None:
    """Raises TreeError that names all tools that the build of conf needs and PATH has not."""
    path = variables.get("PATH", os.defpath)
    missing = [tool for tool in _tools(files, variables) if not shutil.which(tool, path=path)]
    if missing:
        message = f"not found: {', '.join(map(printable, missing))}"
        raise TreeError(message, where="--prove kbuild", hint=_advice(missing))


def _tools(files: TreeFiles, variables: Mapping[str, str]) -> list[str]:
    """The tools to build and run conf, by the names under which make calls them."""
    makefile = files.text("Makefile")
    taken = {"CROSS_COMPILE": variables.get("CROSS_COMPILE", "")}
    if _BY_LLVM.search(makefile):  # since 5.7
        taken["LLVM"] = variables.get("LLVM", "")
    target = tools_of_make(taken)
    tools = ["make", target["CC"] if taken.get("LLVM") else "gcc"]
    # Up to 4.17 the tree brings what flex and bison make.
    shipped = [name for name in files.names("scripts/kconfig") if name.endswith("_shipped")]
    for tool, made in (("flex", "lex"), ("bison", ".tab.c")):
        if not any(made in name for name in shipped):
            tools.append(tool)
    if files.has("scripts/Kconfig.include"):  # since 4.18 Kconfig asks the compiler
        tools += [word for tool in ("CC", "LD") for word in target[tool].split()]
    return list(dict.fromkeys(tools))


def _advice(missing: list[str]) -> str:
    """What to install for these tools."""
    if any("/" in tool for tool in missing):
        return "check CROSS_COMPILE and LLVM in the environment"
    fedora = list(dict.fromkeys(_package(tool) for tool in missing))
    debian = [name.replace("_", "-") for name in fedora]
    hint = f"Debian, Fedora: install {' '.join(debian)}"
    if fedora != debian:
        hint = f"Debian: install {' '.join(debian)}; Fedora: {' '.join(fedora)}"
    if any(tool not in _HOST for tool in missing):
        hint += "; CROSS_COMPILE and LLVM in the environment choose the compiler"
    return hint


def _package(tool: str) -> str:
    """Fedora's package with the tool; Debian's has - for _."""
    prefix, dash, name = tool.rpartition("-")
    if dash and name in ("gcc", "ld"):
        return f"{_PACKAGES.get(name, name)}-{prefix}"
    return _PACKAGES.get(tool, tool.removeprefix("ld."))

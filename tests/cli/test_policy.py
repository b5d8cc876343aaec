"""`policy`: policies listed, imported from the lists of others, and exported."""

from __future__ import annotations

import pytest
import tomli

from ..cases import each

ANNOTATIONS = """\
# Menu: HEADER
# FORMAT: 4
# ARCH: amd64 arm64
# FLAVOUR: amd64-generic arm64-generic arm64-generic-64k

include "../../debian.master/config/annotations"

CONFIG_AGP              policy<{'amd64': 'y', 'arm64': 'n'}>
CONFIG_AGP              note<'not autoloadable'>
CONFIG_NET              policy<{'amd64': 'y', 'arm64': 'y'}>
CONFIG_NET              note<'LP: #1 "all" of it'>
CONFIG_ARCH_MMAP_RND_BITS policy<{'amd64': '32', 'arm64': '33', 'arm64-generic-64k': '29'}>
CONFIG_EVM_X509_PATH    policy<{'amd64': '"/etc/keys/x.der"', 'arm64': '-'}>
CONFIG_OF_A_PATCH       policy<{'amd64': 'm', 'arm64': 'm'}>
CONFIG_HZ_1000          policy<{'amd64': 'm'}>
CONFIG_E1000E           policy<{'amd64': 'm', 'armhf': 'm'}> mark<ENFORCED> note<old form>
CONFIG_EXT4_FS          policy<(arch amd64 &/ value y)>
CONFIG_BUG              policy<{'amd64': 'y', 'arm64': 'y'}>
                        note<LP: #3 below>
CONFIG_BUG              mark<ENFORCED> note<LP:4>
"""
ARK = {
    "common/generic/CONFIG_BUG": "CONFIG_BUG=y\n",
    "common/generic/x86/CONFIG_BUG": "# CONFIG_BUG is not set\n",
    "common/generic/arm/aarch64/CONFIG_ARM64_VHE": "CONFIG_ARM64_VHE=y\n",
    "common/generic/README": "nothing\n",
    "common/debug/CONFIG_SLUB_DEBUG_ON": "CONFIG_SLUB_DEBUG_ON=y\n",
    "fedora/generic/CONFIG_NET": "# why\nCONFIG_NET=y\n",
}
ANDROID = {
    "android-base.config": "# KEEP SORTED\n# CONFIG_DEVMEM is not set\nCONFIG_AIO=y\n",
    "android-base-arm64.config": "CONFIG_ARM64_PAN=y\n",
    "android-recommended.config": "CONFIG_HZ_100=y\n",
    "android-base-conditional.xml": """\
<kernel minlts="5.4.42" />
<!-- <group><config><key>CONFIG_NET</key><value type="bool">n</value></config></group> -->
<group>
 <conditions><config><key>CONFIG_ARM64</key><value type="bool">y</value></config></conditions>
 <config><key>CONFIG_COMPAT</key><value type="bool">y</value></config>
</group>
<group>
 <conditions><config><key>CONFIG_EXT4_FS</key><value type="tristate">y</value></config></conditions>
 <config><key>CONFIG_EXT4_FS_POSIX_ACL</key><value type="bool">y</value></config>
</group>
""",
}
KSPP = {
    "kspp-kconfig-x86-64.config": "# Safe page tables.\nCONFIG_STRICT_KERNEL_RWX=y\nCONFIG_BUG=y\n",
    "kspp-sysctl.txt": "kernel.kptr_restrict = 2\nkernel.printk = 3\t4 1\t7\n",
    "kspp-cmdline-x86-64.txt": "slab_nomerge slub_debug=ZF slub_debug=P vdso32=0\n",
}
KMETA = {
    "board.scc": "define KARCH arm64\ninclude features/net.scc\nkconf hardware board.cfg\n"
    "if [ x ]; then\n include y.scc\nfi\ninclude ../out.scc\ninclude board.scc\n",
    "board.cfg": "CONFIG_BUG=y\n",
    "features/net.scc": "kconf non-hardware net.cfg\npatch a.patch\n",
    "features/net.cfg": "CONFIG_NET=y\n",
}
FRAGMENT = {"a.cfg": '# the log\nCONFIG_LOG_BUF_SHIFT=18\n\nCONFIG_LOCALVERSION="-x"\nnonsense\n'}


@pytest.fixture
def imported(run_inside, tmp_path):
    """The policies that an import gives, by name, its comments, and that they are read again."""

    def run(form, files, *paths):
        for name, text in files.items():
            path = tmp_path / "list" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        where = [f"list/{one}" for one in paths] or ["list"]
        result = run_inside("policy", "import", form, *where, "--output", "kernel-advisor.toml")
        assert (result.code, result.stdout) == (0, "")
        text = (tmp_path / "kernel-advisor.toml").read_text()
        document = tomli.loads(text)
        found = dict(document.get("policies", {}))
        for one in document.get("policy", ()):
            kind = next(key for key in ("symbol", "sysctl", "parameter") if key in one)
            found[one.get("name", one[kind])] = one
        listed = run_inside("policy")
        assert len(listed.stdout.splitlines()) == len(found)
        assert run_inside("rules", "lint", "kernel-advisor.toml").code == 0
        told = [line for line in text.splitlines() if line.startswith("# list/")]
        return found, told

    return run


def values(found):
    return {name: one.get("value") for name, one in found.items()}


def test_annotations_of_ubuntu(imported):
    found, told = imported("annotations", {"annotations": ANNOTATIONS}, "annotations")
    assert values(found) == {
        "AGP-x86": "y", "AGP-arm64": "n", "NET": "y", "ARCH_MMAP_RND_BITS-x86": "32",
        "ARCH_MMAP_RND_BITS-arm64": "33", "EVM_X509_PATH": "/etc/keys/x.der", "OF_A_PATCH": "m",
        "E1000E": "m", "BUG": "y",
    }  # fmt: skip
    assert found["BUG"]["reason"] == "LP:4"
    assert not any("form of this line" in one and ":17: " not in one for one in told)
    assert found["AGP-arm64"]["when"] == "arch = arm64"
    assert found["AGP-x86"]["reason"] == "not autoloadable"
    assert found["NET"] == {
        "value": "y",
        "reason": 'LP: #1 "all" of it',
        "source": "list/annotations:10",
    }
    assert found["E1000E"]["when"] == "arch = x86 || arch = arm"
    assert found["OF_A_PATCH"]["out-of-tree"] is True
    for line, part in (
        (6, "also give the included file"),
        (12, "arm64-generic-64k"),
        (17, "form of this line"),
    ):
        assert any(one.startswith(f"# list/annotations:{line}: ") and part in one for one in told)
    assert any("HZ_1000 takes y or n" in one for one in told)


def test_folders_of_fedora(imported):
    found, told = imported("ark", ARK, "common", "fedora")
    assert values(found) == {"BUG": "y", "BUG-x86": "n", "ARM64_VHE": "y", "NET": "y"}
    assert (found["BUG"]["when"], found["BUG-x86"]["when"]) == ("arch != x86", "arch = x86")
    assert found["NET"]["reason"] == "why"
    assert told == [
        "# list/common/debug: 1 files of a variant were not imported: "
        "to import these files too, name their folder"
    ]


def test_base_configurations_of_android(imported):
    found, told = imported("android", ANDROID)
    assert values(found) == {
        "DEVMEM": "n", "AIO": "y", "ARM64_PAN": "y", "COMPAT": "y", "EXT4_FS_POSIX_ACL-if-1": "y",
    }  # fmt: skip
    assert found["EXT4_FS_POSIX_ACL-if-1"]["when"] == 'EXT4_FS = "y"'
    assert found["COMPAT"]["when"] == "arch = arm64"
    assert found["COMPAT"]["source"] == "list/android-base-conditional.xml:5"
    assert [one.split(":")[0] for one in told] == ["# list/android-recommended.config"]


def test_recommendations_of_kspp(imported):
    found, told = imported("kspp", KSPP)
    assert values(found) == {
        "STRICT_KERNEL_RWX": "y", "BUG": "y", "kernel.kptr_restrict": "2",
        "kernel.printk": "3\t4\t1\t7", "slab_nomerge": None, "slub_debug": "ZF", "vdso32": "0",
    }  # fmt: skip
    assert found["BUG"]["reason"] == "Safe page tables."
    assert found["slab_nomerge"]["when"] == found["BUG"]["when"] == "arch = x86"
    assert "slub_debug occurs twice" in told[0]


def test_kernel_metadata_of_yocto(imported, tmp_path):
    (tmp_path / "out.scc").write_text("kconf hardware out.cfg\n")
    found, told = imported("kmeta", KMETA, "board.scc")
    assert values(found) == {"BUG": "y", "NET": "y"}
    assert [one.split(": ")[1] for one in told] == [
        "this line depends on a variable", "../out.scc is not in list"
    ]  # fmt: skip


TREE = {
    "bsp/board/board.scc": "define KARCH arm64\ninclude ktypes/standard nocfg\n"
    "force kconf hardware board.cfg\n",
    "bsp/board/board.cfg": "CONFIG_BUG=y\n",
    "ktypes/standard/standard.scc": 'define KFEATURE "what it is, \\\n    told on"\n'
    "kconf non-hardware standard.cfg\ninclude features/net/net.scc\n",
    "ktypes/standard/standard.cfg": "CONFIG_AUDIT=y\n",
    "features/net/net.scc": "kconf non-hardware net.cfg\ninclude ../arch/arch.scc\n"
    'if [ "$KARCH" = "mips" ]; then\n\tkconf hardware mips.cfg\nfi\n'
    'if [ "$KARCH" = "x86" ] || [ "$KARCH" = "arm64" ]; then\n\tkconf hardware arm.cfg\nfi\n',
    "features/net/net.cfg": "CONFIG_NET=y\n",
    "features/net/arm.cfg": "CONFIG_BLOCK=y\n",
    "features/arch/arch.scc": "kconf hardware arch.cfg\nkconf hardware none.cfg\n",
    "features/arch/arch.cfg": "CONFIG_EXT4_FS=y\n",
    "features/arch/none.cfg": "",
}


def test_names_of_kernel_metadata_are_those_of_its_tree(imported):
    """As in yocto-kernel-cache: from the top, of folders, without fragments, by architecture."""
    found, told = imported("kmeta", TREE, "bsp/board/board.scc")
    assert values(found) == {"BUG": "y", "NET": "y", "EXT4_FS": "y", "BLOCK": "y"}
    assert told == []


def test_a_fragment(imported):
    found, told = imported("fragment", FRAGMENT, "a.cfg")
    assert values(found) == {"LOG_BUF_SHIFT": "18", "LOCALVERSION": "-x"}
    assert found["LOG_BUF_SHIFT"]["reason"] == "the log"
    assert told == ["# list/a.cfg:5: this line is no setting: nonsense"]


def test_an_import_judges_as_the_list_does(imported, run_inside, make_config):
    imported("annotations", {"annotations": ANNOTATIONS}, "annotations")
    path = make_config("CONFIG_NET=y", "CONFIG_AGP=m", "CONFIG_E1000E=m", kernel="6.12.1")
    result = run_inside("audit", path.name, "--brief")
    assert result.code == 1
    assert "[policy/AGP-x86]" in result.stdout
    assert "policy/NET" not in result.stdout


@each(
    ("words", "code", "told"),
    [
        (("import",), 2, "needs a FORMAT"),
        (("import", "anotations", "x"), 2, "did you mean annotations?"),
        (("import", "kspp"), 2, "needs a FILE or FOLDER"),
        (("import", "fragment", "absent"), 3, "absent: no such file"),
        (("import", "annotations", "f"), 3, "contains no policy"),
        (("export", "a", "b"), 2, "only one CONFIG is allowed"),
        (("erase",), 2, "'erase' is no action"),
        ((), 3, "there is no file of settings here"),
    ],
)
def test_a_mistake_ends_in_a_line(run_inside, tmp_path, words, code, told):
    (tmp_path / "f").write_text("CONFIG_NET=y\n")
    result = run_inside("policy", *words)
    assert (result.code, result.stdout) == (code, "")
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_an_export_is_a_fragment_that_meets_the_policies(run_inside, make_config, tmp_path):
    (tmp_path / "kernel-advisor.toml").write_text(
        '[policies]\nNET = { value = "y", reason = "CONFIG_FOO=y" }\n'
        'LOG_BUF_SHIFT = { value = "18..20", reason = "r", when = "arch = x86" }\n'
        'BUG = { value = "n", reason = "r", path = "other*" }\n'
        '[[policy]]\nparameter = "quiet"\nreason = "r"\n'
    )
    everywhere = run_inside("policy", "export").stdout
    assert "CONFIG_LOG_BUF_SHIFT" not in everywhere
    assert "# CONFIG_BUG is not set" in everywhere
    path = make_config("# CONFIG_NET is not set", "CONFIG_LOG_BUF_SHIFT=17", kernel="6.12.1")
    result = run_inside("policy", "export", path.name, "--output", "out.cfg")
    assert result.code == 0
    text = (tmp_path / "out.cfg").read_text()
    assert [line for line in text.splitlines() if "CONFIG_" in line] == [
        "CONFIG_NET=y", "CONFIG_LOG_BUF_SHIFT=18",
    ]  # fmt: skip
    assert "quiet on the boot line" in text
    merged = run_inside("audit", path.name, "out.cfg", "--merge")
    assert (merged.code, "2 already right" in merged.stdout) == (0, True)


@each(
    "text",
    ["CONFIG_" * 5000, "include " * 3000, "<group>" * 20000, "CONFIG_A policy<{" + "'" * 9000],
)
def test_hostile_lists_end(run_inside, tmp_path, text):
    (tmp_path / "f.xml").write_text(text)
    for form in ("annotations", "android", "kspp", "fragment", "kmeta"):
        result = run_inside("policy", "import", form, "f.xml")
        assert result.code in (0, 3)
        assert "Traceback" not in result.stderr

"""The catalogue of boot parameters: what it says of a name, and what C sources make of it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.errors import KnowledgeError
from advisor.knowledge.catalogue import MAGIC, Catalogue, numbers
from advisor.knowledge.existence import Standing, parameter_standing
from advisor.knowledge.parametercatalogue import ParameterCatalogue, generic, kinds
from advisor.lint.learn import CatalogueTable, learn
from advisor.lint.view import in_time
from advisor.model.kernel import parse_version

from .. import corpus
from ..cases import each

TEXT = f"""\
{MAGIC}
kernel 6.1.0 arm64 x86
kernel 6.6.0 arm64 x86
kernel 6.8.0 arm64 riscv x86
kernel 6.9.0 arm64 riscv x86
[parameters]
added	e 6.8.0..
arm64.nobti	o arm64 6.1.0..
both	e 6.1.0..;m= x86 6.6.0..
fresh_kept	s= 6.9.0..
gone	s= 6.1.0..6.6.0
gone_kept	s= 6.1.0..6.6.0
kvm_amd.nested	m= x86 6.1.0..
kvm_hv.nested	m= riscv 6.8.0..
kvm_intel.nested	m= x86 6.1.0..
log_buf_len	e 6.1.0..
one.debug	m= 6.1.0..
one.enable_all	m= 6.1.0..
quiet	e 6.1.0..
run	s 6.1.0..
three.debug	m= 6.1.0..
two.Speed	m= 6.1.0..
two.debug	m= 6.1.0..
zero.debug	m= 6.1.0..
zero1_mode	s 6.1.0..
"""


@pytest.fixture
def small():
    return ParameterCatalogue(TEXT, "parameters.gz")


def test_a_name_is_looked_up_without_the_others(small):
    damaged = ParameterCatalogue(TEXT.replace("run\ts 6.1.0..", "run"))
    assert damaged.seen("quiet").kernels() == 15
    with pytest.raises(KnowledgeError, match="without facts"):
        damaged.names()
    assert [name for name in ("quie", "uiet", "added\t", "nested") if small.seen(name)] == []


def test_dashes_are_underscores(small):
    assert small.seen("kvm-intel.nested").name == "kvm_intel.nested"


def test_every_name_is_found_as_in_the_table(small):
    assert {name: small.spelled(name) for name in small.names()} == small.names()
    assert len(small.names()) == TEXT.count("\t")


def test_what_reads_it(small):
    facts = small.facts("both")
    assert kinds(facts, 0) == ["early_param()"]
    assert kinds(facts, 3) == ["early_param()", "module parameter, with a value"]


def test_modules(small):
    assert small.knows_module("kvm-intel")
    assert not small.knows_module("kvm")
    assert not small.knows_module("quiet")


@each(
    ("wrong", "kernel", "arch", "near"),
    [
        ("quite", None, None, ["quiet"]),
        ("log-buf-len1", None, None, ["log_buf_len"]),
        ("logbuflen", None, None, ["log_buf_len"]),
        ("Quiet", None, None, ["quiet"]),
        ("two.speed", None, None, ["two.Speed"]),
        ("zero2_mode", None, None, ["zero1_mode"]),  # no slip, but alike
        ("runn", None, None, ["run"]),
        ("rnu", None, None, []),
        ("debug", None, None, []),  # of too many modules
        ("nested", "6.9", None, ["kvm_amd.nested", "kvm_hv.nested", "kvm_intel.nested"]),
        ("nested", "6.9", "x86", ["kvm_amd.nested", "kvm_intel.nested"]),
        ("kvm.nested", "6.9", "riscv", ["kvm_hv.nested"]),
        ("one.enabel_al", None, None, ["one.enable_all"]),
        ("two.enabel_al", None, None, []),
        ("gresh_kept", "6.9", "x86", ["fresh_kept"]),
        ("xone_kept", None, None, ["gone_kept"]),
        ("nothing_like_it", None, None, []),
        ("x" * 5000, None, None, []),
    ],
)
def test_near_names(small, wrong, kernel, arch, near):
    assert small.near(wrong, parse_version(kernel) if kernel else None, arch) == near


def test_the_kernel_at_hand_has_the_nearest_name():
    text = TEXT.replace("fresh_kept\t", "fresh_kep\ts= 6.1.0..6.6.0\nfresh_kept\t")
    both = ParameterCatalogue(text)
    assert both.near("fresh_kepp") == ["fresh_kep", "fresh_kept"]
    assert both.near("fresh_kepp", parse_version("6.9"), "x86") == ["fresh_kept"]
    assert both.near("fresh_kepp", parse_version("6.1"), "x86") == ["fresh_kep"]


@each(
    ("name", "kernel", "arch", "found", "words"),
    [
        ("quiet", "6.1.20", "x86", Standing.HERE, ""),
        ("one.debug", "6.7", "riscv", Standing.HERE, ""),
        ("kvm-intel.nested", "6.8", "x86", Standing.HERE, ""),
        ("quiet", None, None, Standing.UNSURE, ""),
        ("qiet", "6.8", "x86", Standing.UNKNOWN, "qiet is in none of the 4 kernels that were read"),
        ("gone", "6.8", "x86", Standing.REMOVED, "not in Linux 6.8: last seen in 6.6.0, gone in"),
        ("gone", "6.7", "x86", Standing.UNSURE, ""),
        ("added", "6.6", "x86", Standing.TOO_NEW, "first seen in 6.8.0, not in 6.6.0"),
        ("arm64.nobti", "6.8", "x86", Standing.OTHER_ARCH, "for x86: seen on arm64 only"),
        ("sysctl.vm.swappiness", "6.8", "x86", Standing.UNSURE, ""),
        ("any.dyndbg", "6.8", "x86", Standing.UNSURE, ""),
        ("dyndbg", "6.8", "x86", Standing.UNKNOWN, ""),
    ],
)
def test_standing(small, name, kernel, arch, found, words):
    version = parse_version(kernel) if kernel else None
    answer = parameter_standing(name, small, version, arch)
    assert (answer.standing, words in answer.text) == (found, True)


def test_what_is_generic():
    assert [n for n in ("sysctl.x", "a.async_probe", "async_probe", "a.b") if generic(n)] == [
        "sysctl.x",
        "a.async_probe",
    ]


# --- the file -------------------------------------------------------------------------------------

PACKED = gzip.compress(TEXT.encode(), mtime=0)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        PACKED[:-20],
        PACKED[:60] + b"\0\0" + PACKED[62:],
        gzip.compress(TEXT.replace("[parameters]", "[symbols]").encode(), mtime=0),
        gzip.compress(TEXT.replace("catalogue 1", "catalogue 2").encode(), mtime=0),
        gzip.compress(b"\xff", mtime=0),
    ],
)
def test_a_damaged_file(tmp_path, content):
    path = tmp_path / "parameters.gz"
    path.write_bytes(content)
    with pytest.raises(KnowledgeError, match="lint --learn makes the file again") as raised:
        ParameterCatalogue.load(str(path))
    assert (raised.value.exit_code, raised.value.where) == (4, str(path))


@each("facts", ["e 4.4..", "e", "e arm64 x86 6.1.0", "e 6.1.0;"])
def test_a_line_that_says_nothing(facts):
    with pytest.raises(KnowledgeError, match="unreadable facts about quiet"):
        ParameterCatalogue(TEXT.replace("quiet\te 6.1.0..", f"quiet\t{facts}")).seen("quiet")


def test_no_file_is_an_empty_catalogue(tmp_path):
    found = ParameterCatalogue.load(str(tmp_path / "none.gz"))
    assert (found.kernels, found.seen("quiet"), found.near("quiet")) == ((), None, [])


VERSIONS = ["5.4.0", "6.1.0-rc3", "6.1.0", "6.12.9"]
ARCHES = ["arm", "um", "x86"]
FACTS = [("a", "e"), ("a.b", "m="), ("ab", "s"), ("ab", "s=")]


def named(bits):
    """The architectures of a number's bits."""
    return frozenset(arch for number, arch in enumerate(ARCHES) if bits >> number & 1)


# For each kernel a number that tells its architectures, and one for each fact.
KERNELS = st.dictionaries(
    st.sampled_from(VERSIONS),
    st.tuples(st.integers(1, 7), *[st.integers(0, 7)] * len(FACTS)),
    min_size=1,
)


@given(KERNELS)
def test_what_is_written_reads_the_same(numbered):
    found = {}
    for version, (all_, *some) in numbered.items():
        here = {fact: named(bits & all_) for fact, bits in zip(FACTS, some, strict=True)}
        found[version] = named(all_), {fact: arches for fact, arches in here.items() if arches}
    table = CatalogueTable(ParameterCatalogue(MAGIC))
    for version, (arches, names) in found.items():
        rows = [(name, traits, here) for (name, traits), here in names.items()]
        table.add(parse_version(version), arches, rows)
    text = table.text()
    read = ParameterCatalogue(text)
    assert CatalogueTable(read).text() == text
    assert {kernel.version.text: kernel.arches for kernel in read.kernels} == {
        version: arches for version, (arches, _) in found.items()
    }
    for number, kernel in enumerate(read.kernels):
        expected = found[kernel.version.text][1]
        told = {
            (name, fact.traits): {arch for arch in kernel.arches if fact.on(arch)}
            for name in read.names()
            for fact in read.facts(name)
            if number in numbers(fact.kernels)
        }
        assert told == expected


# --- learning -------------------------------------------------------------------------------------

SOURCES = {
    "init/main.c": 'early_param("quiet", f);\n__setup("init=", f);\n',
    "kernel/panic.c": 'core_param(panic, t, int, 0644);\n__setup("odd name;\\t", f);\n',
    "drivers/a-b.c": "module_param(on, bool, 0);\nmodule_param_array(ids, int, &n, 0);\n",
    "arch/x86/a.c": 'cmdline_find_option_bool(l, "pti");\ncmdline_find_option(l, "efi-x", b, 4);\n',
    "arch/arm/a.c": '__setup("init=", f);\n__setup("nofpu", f);\n',
    "arch/arm/Kconfig": "",
    "arch/sh/a.c": '__setup("no_kconfig", f);\n',
    "Kconfig": 'source "arch/$(SRCARCH)/Kconfig"\n',
}
LEARNT = f"""\
{MAGIC}
kernel 6.1.0 arm x86
kernel 6.12.0 arm x86
[parameters]
a_b.ids	m 6.1.0..
a_b.on	m 6.1.0..
efi_x	f= x86 6.1.0..
init	s= 6.1.0..
nofpu	s arm 6.1.0..
panic	c= 6.1.0..
pti	f x86 6.1.0..
quiet	e 6.1.0;s 6.12.0..
"""


@pytest.fixture
def trees(make_tree, tmp_path):
    """Two kernels with C source, and one without."""
    newer = {**SOURCES, "init/main.c": SOURCES["init/main.c"].replace("early_param", "__setup")}
    bare = {"Kconfig": 'config A\n\tbool "a"\n'}
    return [
        make_tree(tmp_path / "6.1", SOURCES, "6.1.0"),
        make_tree(tmp_path / "6.12", newer, "6.12.0"),
        make_tree(tmp_path / "6.13", bare, "6.13.0"),
    ]


def unpacked(path):
    return gzip.decompress(path.read_bytes()).decode()


@pytest.mark.slow
def test_what_trees_parse(trees, tmp_path, run_inside):
    result = run_inside("lint", "--learn", *trees, "--output", tmp_path / "c.gz")
    assert (result.code, unpacked(tmp_path / "parameters.gz")) == (0, LEARNT)
    assert "\nkernel 6.13.0 x86\n" in unpacked(tmp_path / "c.gz")
    assert "2 kernels, 8 parameters, " in result.stdout
    assert result.stderr.count("is read\n") == 2
    assert result.stderr.count("is read, without C source\n") == 1


@pytest.mark.slow
def test_any_order_gives_the_same_bytes(trees, tmp_path):
    for tree in reversed(trees):
        learn([str(tree)], str(tmp_path / "c.gz"), str)
    assert unpacked(tmp_path / "parameters.gz") == LEARNT
    before = (tmp_path / "parameters.gz").read_bytes()
    learn([str(trees[0])], str(tmp_path / "c.gz"), str)
    assert (tmp_path / "parameters.gz").read_bytes() == before


@pytest.mark.slow
def test_a_tree_without_c_source_leaves_what_was_known_of_its_kernel(trees, tmp_path, make_tree):
    learn(list(map(str, trees)), str(tmp_path / "c.gz"), str)
    bare = make_tree(tmp_path / "again", {"Kconfig": ""}, "6.1.0")
    learn([str(bare)], str(tmp_path / "c.gz"), str)
    assert unpacked(tmp_path / "parameters.gz") == LEARNT


# --- the catalogue that is shipped ----------------------------------------------------------------


@pytest.fixture(scope="module")
def built_in():
    return corpus.knowledge()


@each(
    ("name", "kernel", "arch", "found", "words"),
    [
        ("nohz_full", "3.10", "x86", Standing.HERE, ""),
        ("nohz_full", "3.6", "x86", Standing.TOO_NEW, "first seen in 3.10.99, not in 3.6.0"),
        ("nohz_ful", "6.12", "x86", Standing.UNKNOWN, "kernels that were read (2.6.38 to "),
        ("elevator", "6.12", "x86", Standing.HERE, ""),
        ("elevator", "5.4", "x86", Standing.REMOVED, "it is in 5.3.1 and 5.7.14"),
        ("slub_debug", "2.6.38", "x86", Standing.HERE, ""),
        ("slub_debug", "7.1", "x86", Standing.HERE, ""),
        ("slab_debug", "6.6", "x86", Standing.TOO_NEW, "first seen in 6.9.0"),
        ("mitigations", "5.3", "x86", Standing.HERE, ""),
        ("mitigations", "5.0", "x86", Standing.REMOVED, "4.19.78"),
        ("mitigations", "4.9", "x86", Standing.TOO_NEW, "first seen in 4.14.177"),
        ("retbleed", "6.1", "x86", Standing.HERE, ""),
        ("retbleed", "6.1", "arm64", Standing.OTHER_ARCH, "seen on x86 only"),
        ("numa_balancing", "3.10", "x86", Standing.HERE, ""),
        ("numa_balancing", "3.6", "x86", Standing.TOO_NEW, "3.10.99"),
        ("idle", "6.12", "x86", Standing.HERE, ""),
        ("idle", "6.12", "arm64", Standing.OTHER_ARCH, "x86"),
        ("hung_task_panic", "6.12", "x86", Standing.REMOVED, "gone in 5.10.89"),
        ("kvm_intel.nested", "6.12", "x86", Standing.HERE, ""),
        ("i915.enable_guc", "6.12", "x86", Standing.HERE, ""),
        ("mlx5_core.prof_sel", "6.12", "x86", Standing.HERE, ""),
        ("rcutree.rcu_nocb_gp_stride", "6.12", "x86", Standing.HERE, ""),
        ("rcutorture.nreaders", "6.12", "x86", Standing.HERE, ""),
        ("arm64.nobti", "6.12", "arm64", Standing.HERE, ""),
        ("fastboot", "6.12", "x86", Standing.UNKNOWN, ""),
        ("kthread_cpus", "6.12", "x86", Standing.UNKNOWN, ""),
    ],
)
def test_real_parameters(built_in, name, kernel, arch, found, words):
    answer = parameter_standing(name, built_in.parameter_catalogue, parse_version(kernel), arch)
    assert (answer.standing, words in answer.text) == (found, True), answer


@pytest.mark.slow
def test_every_parameter_of_the_rules_was_seen_in_its_time(built_in, documents):
    catalogue = built_in.parameter_catalogue
    explained = {one["rule"] for one in documents.exceptions.values() if one["check"] == "parsed"}
    unseen = []
    for parameter in map(built_in.parameter, built_in.ids("parameters")):
        if f"parameter/{parameter.name}" in explained or parameter.name.endswith(".*"):
            continue
        seen = catalogue.seen(parameter.name)
        bits = 0
        for arch in (parameter.arch or [None]) if seen else ():
            bits |= seen.kernels(arch)
        versions = [catalogue.kernels[n].version.numbers for n in numbers(bits)]
        if not any(in_time(parameter.since, parameter.until, version) for version in versions):
            unseen.append(parameter.name)
    assert unseen == []


@each(
    ("wrong", "near"),
    [
        ("nohz_ful", ["nohz_full"]),
        ("mitigation", ["mitigations"]),
        ("nested", ["kvm_amd.nested", "kvm_intel.nested"]),
        ("i195.enable_guc", ["i915.enable_guc"]),
        ("transparent_hugepages", ["transparent_hugepage"]),
        ("rancher.state.wait", []),  # no slip of dmatest.wait
        ("msm_rtb.filter", []),
        ("kvm_intl.nested", ["kvm_intel.nested"]),
        ("ttm.pages_min", []),  # a floor is no pages_limit
    ],
)
def test_what_a_wrong_name_may_mean(built_in, wrong, near):
    assert built_in.parameter_catalogue.near(wrong, parse_version("6.12"), "x86") == near


def test_both_catalogues_are_less_than_a_megabyte(built_in):
    parameters = built_in.parameter_catalogue
    assert len(parameters.kernels) >= 31
    assert {"x86", "arm64", "riscv", "loongarch"} <= parameters.kernels[-1].arches
    assert list(parameters.names()) == sorted(parameters.names())
    files = (parameters.path, Catalogue.location())
    assert sum(len(Path(path).read_bytes()) for path in files) < 1 << 20

"""Files of programs: every listed name is accounted for, and the schema refuses the rest."""

from __future__ import annotations

import pytest

from advisor.engine.judgement.needing import named, names_of
from advisor.errors import KnowledgeError
from advisor.knowledge import folders
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.load import compile_files, compile_folders
from advisor.knowledge.store import Knowledge
from advisor.lint.requirements import check_lists, needs_of
from advisor.model import condition
from advisor.model.condition import operator_of
from advisor.model.kernel import parse_version

from ..cases import each

PROGRAM = """\
id = "example"
title = "Example"
summary = "What it is."
version = "2.1"
sources = ["vendor https://example.org/"]

[lists]
"https://example.org/check.sh" = "OVERLAY_FS MEMCG_SWAP"

[[unasked]]
names = "MEMCG_SWAP"
kind = "obsolete 6.1"
why = "part of MEMCG"

[[function]]
id = "images"
title = "images"
kind = "start"
needs = "OVERLAY_FS"
why = "Layers."
sources = ["vendor https://example.org/"]
examples = ["OVERLAY_FS=m -> yes", "OVERLAY_FS=n -> no"]
"""


def compiled(text: str):
    return compile_files([KnowledgeFile("software", "example.toml", "", text.encode())], check=True)


def checked(text: str) -> list[str]:
    documents = compiled(text)
    sections = {"programs": documents.programs, "programs_called": {}, "modules": {}}
    return [message for _, message in check_lists(Knowledge(sections), documents)]


def test_a_right_file_is_all_right():
    assert checked(PROGRAM) == []


def test_a_name_that_is_not_accounted_for_is_told():
    more = PROGRAM.replace('"OVERLAY_FS MEMCG_SWAP"', '"OVERLAY_FS MEMCG_SWAP KEYS"')
    assert checked(more) == ["the name KEYS is listed, but neither needed nor in `unasked`"]
    fewer = PROGRAM.replace('"OVERLAY_FS MEMCG_SWAP"', '"OVERLAY_FS"')
    assert checked(fewer) == ["the name MEMCG_SWAP is in `unasked`, but in no list"]


def test_what_is_needed_is_not_wrong():
    text = PROGRAM.replace('kind = "obsolete 6.1"', 'kind = "wrong"')
    text = text.replace('needs = "OVERLAY_FS"', 'needs = "OVERLAY_FS && MEMCG_SWAP"')
    assert checked(text) == ["the name MEMCG_SWAP is needed, but also in `unasked`"]


@each(
    ("old", "new", "told"),
    [
        ('needs = "OVERLAY_FS"\n', "", "function.0"),
        ('kind = "start"', 'kind = "must"', "'must' is not one of"),
        ("obsolete 6.1", "gone", "'gone' does not match"),
        ('"OVERLAY_FS=m -> yes"', '"OVERLAY_FS=m -> perhaps"', "is no answer: yes, no, unknown"),
        ('needs = "OVERLAY_FS"', 'needs = "OVERLAY_FS &&"', "ends where a term is expected"),
        ('id = "example"', 'id = "sample"', "must be the file's name"),
    ],
)
def test_a_wrong_file_is_refused(old, new, told):
    assert old in PROGRAM
    with pytest.raises(KnowledgeError) as caught:
        compiled(PROGRAM.replace(old, new))
    assert any(told in message for _, message in caught.value.problems)


def test_sysctls_and_boot_words_are_names_of_lists_too():
    more = PROGRAM.replace('MEMCG_SWAP"\n\n[[un', 'MEMCG_SWAP kernel.panic lsm="\n\n[[un')
    assert checked(more) == [
        "the name kernel.panic is listed, but neither needed nor in `unasked`",
        "the name lsm= is listed, but neither needed nor in `unasked`",
    ]
    needs = "OVERLAY_FS && shown(/proc/sys/kernel/panic = 10) && !boot(lsm=yama)"
    assert checked(more.replace('needs = "OVERLAY_FS"', f'needs = "{needs}"')) == []


def functions(built_in, advice):
    """Each function that an advice names, with its program's and its own id."""
    for one in advice.needed_by:
        for function in built_in.program(one.program).functions:
            if function.id == one.function:
                yield f"{one.program}/{one.function}", function


def of_tunables(built_in, advice):
    tunables = [built_in.tunable(option.tunable) for option in advice.options]
    return {name for tunable in tunables for name in names_of(tunable)}


def test_a_function_rests_on_what_the_advice_that_names_it_wants(built_in):
    for profile in map(built_in.profile, built_in.ids("profiles")):
        for advice in profile.advice:
            own = of_tunables(built_in, advice)
            for name, function in functions(built_in, advice):
                parts = [part for part in function.parts if not own.isdisjoint(named(part.needs))]
                assert parts, f"{advice.key}: {name}"


def test_what_programs_need_to_start_their_profile_tells(built_in):
    """An advice on what a program of its profile does not start without names that program."""
    for profile in map(built_in.profile, built_in.ids("profiles")):
        told = {one.program for advice in profile.advice for one in advice.needed_by}
        for advice in profile.advice:
            ids = {option.tunable for option in advice.options}
            for program in map(built_in.program, told):
                asking = {
                    function.id
                    for function in program.functions
                    if function.is_start and function.is_of("")
                    for part in function.parts
                    for kind, name, *_ in condition.atoms(part.needs)
                    if kind == "is" and name in ids and operator_of(part.needs) == "is"
                }
                named_here = {one.function for one in advice.needed_by if one.program == program.id}
                assert asking <= named_here, f"{advice.key}: {program.id}"


def test_every_name_of_the_sources_lists_is_counted(built_in):
    """The names that scripts and documents list: needed, or in `unasked` with the reason."""
    rules, profiles, _ = folders.roots()
    documents = compile_folders([rules], [profiles], [folders.software()], check=False)
    for name, lists in documents.lists.items():
        program = built_in.program(name)
        listed = {symbol for one in lists for symbol in one.split()}
        unasked = {symbol for one in program.unasked for symbol in one.names}
        needed = needs_of(program, built_in)
        assert listed == (listed & needed) | unasked, name
    counts = {name: sum(len(one.split()) for one in lists) for name, lists in
              documents.lists.items() if lists}  # fmt: skip
    assert counts == {
        "amdgpu": 3, "apparmor": 3, "bcc": 54, "bpftrace": 19, "calico": 24, "cap-audit": 13,
        "cilium": 48, "criu": 22, "docker": 106, "dpdk": 15, "firecracker-guest": 52,
        "firecracker": 1, "ima": 21, "k0s": 82, "k3s": 68, "kata": 1, "kdump": 14,
        "kubernetes": 29, "landlock": 3, "lttng": 10, "lxc": 36, "nvidia": 26, "opensnitch": 22,
        "scx": 38, "selinux": 7, "sof": 24, "systemd": 56, "systemtap": 9, "tailscale": 3,
        "tracee": 21, "wine": 1, "xen-guest": 55, "zfs": 6,
    }  # fmt: skip


def test_of_every_symbol_that_can_be_a_module_the_module_is_known(built_in):
    """What the rules do not know they would call not installed, or not to be loaded."""
    kernel = parse_version("6.12.117")
    named = {
        s for name in built_in.ids("programs") for s in needs_of(built_in.program(name), built_in)
    }
    seen = {symbol: built_in.catalogue.seen(symbol) for symbol in named}
    modules = {
        symbol
        for symbol, facts in seen.items()
        if facts and any(trait.type == "tristate" for trait in facts.traits_around(kernel))
    }
    assert modules - {*built_in.ids("modules")} == set()

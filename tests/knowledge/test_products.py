"""Profiles of one product: what `-p redis` asks for beside what a database server does."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.errors import KnowledgeError
from advisor.knowledge import schema
from advisor.knowledge.derive import derived
from advisor.knowledge.files import KnowledgeFile
from advisor.knowledge.index import sections
from advisor.knowledge.load import compile_files
from advisor.knowledge.references import check_references
from advisor.knowledge.store import Knowledge
from advisor.model.profile import Stance

from .. import corpus
from ..cases import each

KNOWLEDGE = corpus.knowledge()
EXAMPLES = Path(__file__).parents[2] / "examples"
PRODUCTS = KNOWLEDGE.ids("products")


def wanted(name: str) -> dict[str, tuple[str, ...]]:
    """What a profile wants of each tunable, by the advice."""
    profile = KNOWLEDGE.profile(name)
    return {one.id: one.options[0].want for one in profile.advice if one.stance != Stance.NEUTRAL}


def test_products_are_no_workloads():
    assert set(PRODUCTS).isdisjoint(KNOWLEDGE.ids("profiles"))
    assert {*PRODUCTS, *KNOWLEDGE.ids("profiles")} == {*KNOWLEDGE.ids("fits")}


@each("name", PRODUCTS)
def test_a_product_extends_a_workload_and_cites_its_own_manual(name):
    profile = KNOWLEDGE.profile(name)
    assert profile.extends
    own = {one["id"] for one in KNOWLEDGE.document("products", name)["advice"]}
    for advice in profile.advice:
        if advice.id in own:
            assert any(source.kind == "vendor" for source in advice.sources), advice.id


@each(
    ("product", "advice", "want"),
    [
        ("redis", "memory-overcommit", ("always",)),
        ("mongodb", "transparent-hugepages-always", ("always",)),
        ("mongodb-7", "transparent-hugepages-always", ("never",)),
        ("mongodb-7", "swappiness", ("1",)),
        ("oracle", "aio-limit", ("1048576",)),
        ("kubelet", "panic-timeout", ("10",)),
        ("postgresql", "swappiness", ("10",)),
    ],
)
def test_a_value_is_the_product_s_or_the_workload_s(product, advice, want):
    assert wanted(product)[advice] == want


@each("name", ["redis", "mongodb", "mongodb-7", "hana"])
def test_advice_that_does_not_hold_for_a_product_is_left_out(name):
    assert "shared-memory-pages" in wanted("database")
    assert "shared-memory-pages" not in wanted(name)


@each(
    ("given", "profile"),
    [
        ("postgres", "postgresql"),
        ("Valkey", "redis"),
        ("mongod", "mongodb"),
        ("mariadb", "database"),
    ],
)
def test_a_product_has_everyday_names(given, profile):
    assert KNOWLEDGE.called(given) == [profile]


def test_a_report_is_the_product_s(run_inside):
    words = ("--shared-memory", "32G", "--only", "hugetlb-pages", "--verbose")
    config = EXAMPLES / "x86_64-6.12.config.xz"
    told = run_inside("plan", config, "-p", "postgres", *words)
    assert told.code == 0
    assert "profile   postgresql" in told.stdout
    assert "huge_pages=on in postgresql.conf" in " ".join(told.stdout.split())
    assert "buffer pool" in run_inside("plan", config, "-p", "mysql", *words).stdout
    assert "vm.nr_hugepages" not in run_inside("plan", config, "-p", "redis", *words).stdout


def test_what_is_left_out_has_to_be_inherited():
    schema.need()
    text = 'id = "{0}"\ntitle = "{0}"\nsummary = "s"\n{1}\nadvice = []\n'
    extends = 'extends = ["one"]\nwithout = ["psi"]'
    texts = {"one.toml": text.format("one", ""), "two.toml": text.format("two", extends)}
    files = [KnowledgeFile("profile", name, "", text.encode()) for name, text in texts.items()]
    documents = compile_files(files, check=False)
    plain = sections(documents)
    with pytest.raises(KnowledgeError, match="names 'psi', which the profile does not inherit"):
        check_references(Knowledge({**plain, **derived(plain)}), documents)

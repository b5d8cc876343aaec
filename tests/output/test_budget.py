"""What a comment holds when not all has room in it."""

from __future__ import annotations

from advisor.output import markdown
from advisor.output.budget import MOST, Bounded, Group, bounded, fitting, lines_within, size

from ..cases import each


def section(name, folded=2, length=100):
    details = f"\n<details>\n{name * length}\n</details>\n"
    table = Group("\n| |\n", (f"| {name} |\n",))
    return Bounded(f"\n### {name}\n", "", (table,), (details,) * folded)


def test_all_of_it_where_it_fits():
    texts = [section("a"), section("b")]
    whole = [t.head + t.groups[0].head + t.groups[0].lines[0] + "".join(t.folds) for t in texts]
    assert bounded(texts, MOST) == "".join(whole)


def test_lines_keep_their_head_and_are_counted():
    group = Group("head\n", ("a" * 50, "b", "c" * 50, "d"))
    assert lines_within([[group]], 10) == (["head\nbd"], 2)
    assert lines_within([[group]], 3) == ([""], 4)


def test_a_long_page_leaves_room_for_the_others():
    long = Bounded("\n### long\n", "", (Group("", ("x" * 100 + "\n",) * 100),))
    shown = bounded([long, section("b", folded=1)], 2000)
    assert "| b |" in shown
    assert "lines left out: " in shown


def test_heavy_lines_come_first_and_no_light_one_takes_their_place():
    """Forty hosts with a long line that is a must, and a short one that is not."""
    page = [Group("", ("must " * 20 + "\n", "could\n"), (0, 2))]
    bodies, missing = lines_within([page] * 40, 30 * 101)
    assert [body.count("\n") for body in bodies] == [1] * 30 + [0] * 10
    assert missing == 50
    assert "could" not in "".join(bodies)
    assert lines_within([page] * 2, 208) == (["must " * 20 + "\ncould\n", "must " * 20 + "\n"], 1)


def test_facts_give_way_to_lines_where_they_take_most_of_the_room():
    page = section("a", folded=0)._replace(facts="facts " * 50)
    assert "facts" in bounded([page], 1200)
    shown = bounded([page] * 10, 2000)
    assert shown.count("| a |") == 10
    assert "facts left out: 6" in shown


def test_heads_come_before_folded_parts():
    shown = bounded([section("a", length=400), section("b", length=400)], 400 + 2 * 450 + 50)
    assert "### a" in shown
    assert "### b" in shown
    assert shown.count("<details>") == 2
    assert "(folded parts left out: 2)" in shown


def test_what_has_no_room_at_all_is_counted():
    shown = bounded([section("a" * 2000), section("b")], 1200)
    assert "### b" in shown
    assert "reports left out: 1" in shown


@each("room", [401, 600, 1000, 5000])
def test_it_never_holds_more(room):
    texts = [section(name, folded=5, length=90) for name in "abcdefgh\u20ac"]
    assert size(bounded(texts, room)) <= room
    shown = bounded(texts, room)
    assert shown.count("<details>") == shown.count("</details>")


def test_bytes_count_not_letters():
    assert fitting(["\u20ac" * 4, "abc"], 11) == ["", "abc"]


def test_an_audit_begins_with_its_marker_and_is_bounded(run_inside, make_config):
    make_config("CONFIG_HZ_250=y", "CONFIG_HZ=250")
    names = ["server-throughput", "desktop-latency", "power-saving", "realtime", "diagnosis"]
    words = [word for name in names for word in ("-p", name)]
    result = run_inside("audit", *["config"] * 6, *words, "--fail-on", "never", "-f", "markdown")
    assert result.stdout.startswith(f"{markdown.marker('audit')}\n\n### ")
    assert size(result.stdout) <= MOST
    assert "The report is too long for a comment" in result.stdout

"""The HTML report: well formed, self-contained, inert, legible, and the same for the same input."""

from __future__ import annotations

import base64
import hashlib
import re
from itertools import pairwise
from pathlib import Path

import html5lib
import pytest

from advisor.engine.audit import Policy, audit
from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.finding import ASIDE, Verdict, Waiver
from advisor.model.kernel import Location
from advisor.model.profile import Strength
from advisor.model.remedy import Setting
from advisor.model.summary import row as in_numbers
from advisor.model.tree import TreeUse
from advisor.output import Style, factwords, phrases, treewords
from advisor.output.html import render
from advisor.output.html.markup import code

from .. import corpus
from ..cases import each

ROOT = Path(__file__).parent.parent.parent
CSS = (ROOT / "advisor/output/html/style.css").read_text()
X86 = "examples/x86_64-6.12.config.xz"
BAD = "examples/x86_64-6.12-bad-ideas.config.xz"
ARM = "examples/arm64-6.1.config.xz"
LINE = "quiet nohz=off preempt=full elevator=noop fastboot numa_balancing=0"
HOSTILE = [
    "<script>alert(1)</script>", "</code></pre><h1>x</h1>", "\"onmouseover='alert(1)", "&lt;b&gt;",
    "<!--", "]]>", "\x1b[31mred", "\u202eevil\u2066", "\ud800", "\x00nul", "javascript:alert(1)",
]  # fmt: skip


@pytest.fixture(scope="module")
def knowledge():
    return corpus.knowledge()


@pytest.fixture(scope="module")
def audited(knowledge):
    """The report of a configuration's text under profiles."""

    def run(text, *profiles, line=LINE, name="config"):
        given = Given(cmdline=parse_cmdline(line) if line is not None else None)
        subject = subject_of(parse_config(text, name), given)
        found = [knowledge.profile(profile) for profile in profiles]
        return audit(subject, knowledge, found, Policy(in_full=True))

    return run


@pytest.fixture(scope="module")
def example(audited):
    """The report of a configuration of many mistakes, under two profiles that disagree."""
    import lzma

    text = lzma.decompress((ROOT / BAD).read_bytes()).decode()
    return audited(text, "server-throughput", "power-saving", name=BAD)


@pytest.fixture(scope="module")
def waived(example):
    """The same with the first change and the first diagnostic accepted."""
    waiver = Waiver(
        "tick-mode", "measured, no <loss>", Location("kernel-advisor.toml", 3),
        owner="team-os", expires="2027-03-31",
    )  # fmt: skip
    first = phrases.of(example, Verdict.CHANGE)[0]
    findings = [f._replace(waived=waiver) if f is first else f for f in example.findings]
    diagnostics = [example.diagnostics[0]._replace(waived=waiver), *example.diagnostics[1:]]
    return example._replace(findings=tuple(findings), diagnostics=tuple(diagnostics))


def parsed(page):
    """The page as a tree; raises where it is not HTML as the standard writes it."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(page)


def shown(element):
    return " ".join("".join(element.itertext()).split())


def chapters(*reports):
    page = render(reports, Style())
    return page, parsed(page)


# --- structure ------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["one", "three", "none", "fragment"])
def tree(request, audited, example, waived):
    """Pages of several shapes."""
    reports = {
        "one": [waived],
        "three": [example, waived, example],
        "none": [audited("CONFIG_HZ_100=y\n", line="nohz_full=1 latencytop")],
        "fragment": [audited("CONFIG_HZ_100=y\n", "server-throughput", line=None)],
    }
    return chapters(*reports[request.param])[1]


def test_it_has_a_language_a_title_and_landmarks(tree):
    assert tree.get("lang") == "en"
    assert shown(tree.find("head/title")).startswith("Kernel audit: ")
    for name in ("header", "main", "nav", "footer", "form[@role='search']"):
        assert len(tree.findall(f".//{name}")) == 1, name


def test_headings_are_in_order(tree):
    levels = [int(e.tag[1]) for e in tree.iter() if re.fullmatch("h[1-6]", str(e.tag))]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_ids_are_unique_and_references_lead_somewhere(tree):
    ids = [e.get("id") for e in tree.iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    names = ("aria-labelledby", "data-for")
    named = [e.get(name) for e in tree.iter() for name in names if e.get(name)]
    links = [e.get("href")[1:] for e in tree.iter("a") if e.get("href").startswith("#")]
    assert set(named + links) <= set(ids)
    assert links


def test_tables_have_captions_and_scopes(tree):
    for table in tree.iter("table"):
        assert shown(table.find("caption"))
        assert {th.get("scope") for th in table.findall("thead/tr/th")} == {"col"}
        for row in table.findall("tbody/tr"):
            assert [th.get("scope") for th in row.findall("th")] == ["row"]


def test_every_fold_has_a_summary_and_every_control_a_name(tree):
    assert all(fold[0].tag == "summary" and shown(fold[0]) for fold in tree.iter("details"))
    labelled = {control for label in tree.iter("label") for control in label if shown(label)}
    controls = {e for e in tree.iter() if e.tag in ("input", "select")}
    assert controls
    assert controls <= labelled
    assert all(shown(button) for button in tree.iter("button"))


def test_lists_hold_only_items(tree):
    allowed = {"ul": {"li"}, "ol": {"li"}, "dl": {"dt", "dd"}, "tr": {"th", "td"}}
    found = [element for element in tree.iter() if element.tag in allowed]
    assert {element.tag for element in found} >= {"ul", "dl"}
    for element in found:
        assert len(element)
        assert {child.tag for child in element} <= allowed[element.tag]


# --- contents -------------------------------------------------------------------------------------


def test_nothing_of_a_report_is_missing(example):
    _, tree = chapters(example)
    text = shown(tree)
    for finding in example.findings:
        assert finding.tunable.title in text
        if finding.verdict is Verdict.OK or finding.verdict in ASIDE:
            continue
        same = phrases.alike(finding, example)  # which are told once
        bodies = (tree.find(f".//div[@id='{each.id}']") for each in same)
        (body,) = (body for body in bodies if body is not None)
        notes = {member.symbol: member.note for member in finding.tunable.members}
        told = [
            finding.now, finding.wanted, finding.advice.why, finding.cost, finding.reason,
            finding.state.why, example.practice[finding.tunable.id].text,
            *(phrases.instruction(remedy, finding.tunable) for remedy in finding.remedies),
            *(notes.get(symbol, "") for symbol, _ in finding.offending),
            *(origin.text for origin in finding.state.origins),
        ]  # fmt: skip
        plain = (" ".join(part.split()).replace("`", "") for part in told)
        assert [part for part in plain if part not in shown(body)] == []
        links = {a.get("href"): a.get("rel") for a in body.iter("a")}
        sources = [source for each in same for source in each.advice.sources]
        # Of x86 no file of another architecture is named, where there is one of its own.
        sources = [one for one in sources if not one.ref.startswith("arch/arm64/")]
        assert links == {source.url: "noreferrer" for source in sources}
    for item in example.diagnostics:
        assert item.message in text
        assert item.remedy in text
    for side in (
        side for conflict in example.conflicts for side in phrases.conflict_sides(conflict)
    ):
        assert side in text
    for option, count in phrases.missing(phrases.of(example, Verdict.UNKNOWN)):
        assert f"{count} more could be judged with {option}" in text
    assert phrases.verdict_line(example) in text


def test_a_rebuild_shows_its_lines_to_copy(example):
    from advisor.model.kernel import assignment

    _, tree = chapters(example)
    rebuilt = [(f, r) for f in phrases.to_see(example) for r in f.remedies if r.changes]
    assert len(rebuilt) > 10
    for finding, remedy in rebuilt:
        same = phrases.alike(finding, example)  # which are told once
        bodies = (tree.find(f".//div[@id='{each.id}']") for each in same)
        (body,) = (body for body in bodies if body is not None)
        lines = [assignment(change.symbol, change.new) for change in remedy.changes]
        assert "\n".join(lines) in ["".join(pre.itertext()) for pre in body.iter("pre")]


@each(
    ("name", "shown"),
    [
        ("nmi-watchdog", '<code class="whole">nmi-watchdog</code>'),
        ("/proc/lock_stat", '<code class="whole">/proc/lock_stat</code>'),
        ("CPU_MITIGATIONS=y", "<code>CPU_MITIGATIONS=y</code>"),
        ("a-b c", "<code>a-b c</code>"),
        ("x-" * 40, f"<code>{'x-' * 40}</code>"),
        ("<b-c>", '<code class="whole">&lt;b-c&gt;</code>'),
    ],
)
def test_a_short_name_is_not_parted(name, shown):
    assert code(name) == shown


def test_the_overview_has_each_change_once_the_strongest_first(example):
    _, tree = chapters(example)
    rows = tree.findall(".//table[@class='changes']/tbody/tr")
    changes = phrases.to_see(example)
    assert [row.get("data-for") for row in rows] == [finding.id for finding in changes]
    strengths = [shown(row[0]).split()[0] for row in rows if shown(row[0]).endswith("change")]
    assert strengths == sorted(strengths, key=[s.value for s in Strength].index)


def test_what_is_accepted_stands_apart_with_its_reason(waived):
    page, tree = chapters(waived)
    (finding,) = (f for f in waived.findings if f.waived)
    assert f'data-for="{finding.id}"' not in page
    found = tree.findall(".//*[@data-kind='accepted']")
    assert [e.tag for e in found] == ["details", "details"]
    for element in found:
        for part in ("measured, no <loss>", "team-os", "2027-03-31", "kernel-advisor.toml:3"):
            assert part in shown(element)
    titles = [shown(heading) for heading in tree.iter("h3")]
    assert "Waived: 2" in titles
    assert f"What should change: {len(phrases.to_see(waived))}" in titles


def example_of(report):
    """The report without what is accepted in it."""
    return report._replace(findings=tuple(f._replace(waived=None) for f in report.findings))


def test_what_a_tree_told_is_in_it(example):
    use = TreeUse("../linux", "6.12.117", "x86", False, (("CC_IS_GCC", "y", "told"),), ("odd",))
    text = shown(chapters(example._replace(proof="model", tree=use))[1])
    for part in (treewords.tree(use), factwords.proof("model", use), treewords.assumed(use), "odd"):
        assert part in text


def test_what_distributions_do_is_shown_as_lengths(example):
    """With what this kernel has among them, and in words as well."""
    _, tree = chapters(example)
    practised = {name: told for name, told in example.practice.items() if told.counts}
    assert practised
    for finding in phrases.to_see(example):
        told = practised.get(finding.tunable.id)
        body = tree.find(f".//div[@id='{finding.id}']")
        found = body.findall(".//ul[@class='bars']/li")
        assert len(found) == (len(told.counts) if told else 0)
        for item, (value, number) in zip(found, told.counts if told else (), strict=True):
            assert item.find("meter").get("value") == str(number)
            assert item.find("meter").get("max") == str(told.total)
            own = value in finding.state.effective
            assert shown(item).endswith("this kernel") is own


def test_of_several_profiles_a_matrix_says_what_differs_where(example):
    _, tree = chapters(example)
    (table,) = tree.findall(".//table[@class='matrix']")
    names = [shown(cell) for cell in table.findall("thead/tr/*")]
    assert (names[0], names[-1]) == ("Profile", "could")
    told = {profile.id: in_numbers(example, profile.id) for profile in example.profiles}
    for line in table.findall("tbody/tr"):
        name, *cells = map(shown, line)
        areas = {cell.area: cell for cell in told.pop(name).cells}
        for area, cell in zip(names[1:-1], cells, strict=False):
            due = areas[area].due if area in areas else 0
            assert cell.rstrip("!") == (str(due) if due else ".")
    assert not told


def test_it_shows_no_score(example):
    _, tree = chapters(example)
    visible = [e.text or "" for e in tree.iter() if e.tag not in ("style", "script")]
    assert not re.search(r"\bscore\b", " ".join(visible), re.IGNORECASE)
    # Lengths are of how many distributions have a value.
    counted = tree.findall(".//ul[@class='bars']/li/meter")
    assert [*tree.iter("meter")] == counted
    assert not [*tree.iter("progress")]
    # What the lab measured is a difference in counts, with its share and its noise in brackets.
    measured = r"\([+-][\d.,]+ %\)|differ by [\d.]+ % at most"
    assert "%" not in re.sub(measured, "", shown(tree.find(".//main")))


# --- self-contained, inert, stable ----------------------------------------------------------------


def test_its_policy_names_its_style_and_script_and_nothing_else(example):
    page, tree = chapters(example)
    (policy,) = (e.get("content") for e in tree.iter("meta") if "Policy" in e.get("http-equiv", ""))
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    for name in ("style", "script"):
        (content,) = re.findall(f"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert parts[f"{name}-src"] == f"'sha256-{digest}'"
    before = page.partition("http-equiv")[0]
    assert "<style" not in before
    assert "<script" not in before


def test_it_loads_nothing(example):
    _, tree = chapters(example)
    loading = {"src", "srcset", "data", "poster", "background", "action", "style", "ping"}
    for element in tree.iter():
        assert not loading & set(element.attrib), element.tag
        assert not [name for name in element.attrib if name.startswith("on")]
        assert element.tag not in ("link", "img", "iframe", "object", "embed", "base")
    assert not re.search(r"url\(|@import", CSS)


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_is_inert(example, text):
    changes = phrases.of(example, Verdict.CHANGE)
    first, *others = sorted(changes, key=lambda finding: not finding.state.origins)
    origin = first.state.origins[0]._replace(text=text, place=Location(text, 1))
    waiver = Waiver(text, text, Location(text), owner=text, expires=text)
    source = first.advice.sources[0]._replace(kind="vendor", ref=text, note=text)
    worse = first._replace(
        id=f"{first.id}{text}",
        state=first.state._replace(origins=(origin,), why=text),
        advice=first.advice._replace(why=text, sources=(source,), profile=f"a {text}"),
        remedies=tuple(
            r._replace(settings=(Setting(text, text),), words=(text,), drop=(text,))
            for r in first.remedies
        ),
        reason=text,
    )
    diagnostic = example.diagnostics[0]._replace(
        message=text, remedy=text, source=text, location=Location(text, 0, 1), waived=waiver
    )
    report = example._replace(
        name=text,
        cmdline=text,
        findings=(worse, worse._replace(id=f"2{text}", waived=waiver), *others),
        diagnostics=(diagnostic,),
    )
    page, tree = chapters(report)
    page.encode()
    plain = chapters(example._replace(name="x"))[1]
    for name in ("script", "style", "h1", "h2"):
        assert len(list(tree.iter(name))) == len(list(plain.iter(name)))
    attributes = {name for e in tree.iter() for name in e.attrib}
    assert not {name for name in attributes if name.startswith("on") or name == "style"}
    targets = [e.get("href") for e in tree.iter("a")]
    assert all(target.startswith(("#", "https://")) for target in targets)
    everything = page.replace("\n", "")
    assert everything.isprintable()
    if text.isprintable():
        assert shown(tree).count(text) > 10


def test_the_same_input_gives_the_same_bytes(run_command, tmp_path):
    words = ["audit", BAD, X86, "-p", "server-throughput", "-p", "power-saving", "-f", "html"]
    first = run_command(*words, cwd=ROOT, env={"PYTHONHASHSEED": "1"})
    again = run_command(*words, "-o", tmp_path / "page.html", cwd=ROOT, env={"TZ": "Asia/Tokyo"})
    assert first.stderr == again.stderr == ""
    assert first.stdout == (tmp_path / "page.html").read_text()
    assert str(ROOT) not in first.stdout
    assert "(line 102)" in first.stdout
    assert "configurations:" in first.stdout


def test_seven_profiles_over_one_configuration_stay_small(knowledge, audited):
    import lzma

    text = lzma.decompress((ROOT / BAD).read_bytes()).decode()
    report = audited(text, *[*knowledge.ids("profiles")][::2], name=BAD)
    page, _ = chapters(report)
    assert len(page.encode()) < 800_000


# --- legible --------------------------------------------------------------------------------------

_COLOURS = re.compile(r"--(\w+): (#[0-9a-f]{6});")
LIGHT, DARK = (
    dict(_COLOURS.findall(part)) for part in CSS.split("* {")[0].split("@media (prefers-color")
)
TEXTS = ["ink", "muted", "link", "must", "should", "could"]


def contrast(one, other):
    """As WCAG 2 defines it, of two colours like #0b4fb3."""

    def luminance(colour):
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_what_wcag_says():
    assert round(contrast("#000000", "#ffffff"), 2) == 21
    assert round(contrast("#767676", "#ffffff"), 2) == 4.54


@each("ground", ["paper", "panel"])
@each("text", TEXTS)
@each("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read(colours, text, ground):
    assert contrast(colours[text], colours[ground]) >= 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_controls_can_be_seen(colours):
    assert contrast(colours["edge"], colours["paper"]) >= 3
    assert contrast(colours["link"], colours["paper"]) >= 3


def test_every_colour_has_a_name_and_both_schemes():
    assert set(LIGHT) == {*TEXTS, "paper", "panel", "rule", "edge"}
    assert set(DARK) == set(LIGHT)
    rules = CSS.split("* {", 1)[1].split("@media print")[0]
    assert not re.search(r"#[0-9a-f]{3,8}\s*;|rgb|hsl", rules)
    used = set(re.findall(r"(?<!-)color: var\(--(\w+)\)", rules))
    # Of a tile the paper stands on the colour of a text, which is as legible.
    assert used <= {*TEXTS, "paper"}


def test_a_tile_stands_for_each_setting_and_leads_to_it(example):
    """In the lane of its area, what matters most first."""
    page = render([example], Style())
    tiles = re.findall(r'<(a|span) (?:href="#([^"]*)" )?class="tile ([a-z]+)"', page)
    ids = set(re.findall(r' id="([^"]+)"', page))
    assert {target for _, target, _ in tiles if target} <= ids
    due = [kind for name, _, kind in tiles if name == "a" and kind in ("must", "should", "could")]
    changed = {
        finding.tunable.id for finding in example.findings if finding.verdict is Verdict.CHANGE
    }
    assert len(due) == len(changed) > 4
    lanes = re.findall(
        r"<dt>(\w+)</dt>\n<dd>((?:<(?:a|span) [^>]*tile.*?</(?:a|span)>)+)</dd>", page
    )
    order = ("must", "should", "could", "blocked", "unknown", "accepted", "ok")
    for _, lane in lanes:
        kinds = re.findall(r'class="tile ([a-z]+)"', lane)
        assert kinds == sorted(kinds, key=order.index)


def test_a_name_is_never_parted():
    """A short one stays on its line, and a longer one ends it at a sign."""
    long = code("TRANSPARENT_HUGEPAGE_SHMEM_HUGE_ALWAYS=y")
    assert long == "<code>TRANSPARENT_HUGEPAGE_SHMEM_HUGE_ALWAYS<wbr>=y</code>"
    listed = code("mitigations=auto,no_guest_host,no_guest_guest")
    assert listed == "<code>mitigations=auto,<wbr>no_guest_host,<wbr>no_guest_guest</code>"

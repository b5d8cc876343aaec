"""The HTML report in a browser, with and without its script: Debian's package `chromium`.

Where there is none, these tests are skipped. $KERNEL_ADVISOR_BROWSER names the one to use, as
.ci/run does; that it is not there is then a failure.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from . import browser

ROOT = Path(__file__).parent.parent.parent
X86 = "examples/x86_64-6.12.config.xz"
BAD = "examples/x86_64-6.12-bad-ideas.config.xz"
LINE = "quiet nohz=off preempt=full fastboot numa_balancing=0 " + "a_very_long_word=" + "x" * 300
SHOWN = "[...document.querySelectorAll('[data-kind]')].filter(e => !e.hidden)"
# The text field answers after a pause.
SETTLED = "new Promise(done => setTimeout(done, 400))"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    program, wanted = browser.found()
    if program is None:
        reason = f"there is no {wanted}: apt-get install chromium"
        if browser.required():
            pytest.fail(reason)
        pytest.skip(reason)
    running = browser.Browser(program, tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The address of a report on two configurations under two profiles."""
    return written([str(ROOT / BAD), str(ROOT / X86)], tmp_path_factory)


@pytest.fixture(scope="module")
def long_names(tmp_path_factory):
    """The address of a report on two configurations of long names."""
    folder = tmp_path_factory.mktemp("configs")
    names = [folder / f"{word}_of_a_board_with_a_name_{'x' * 60}.config.xz" for word in "ab"]
    for name in names:
        name.write_bytes((ROOT / X86).read_bytes())
    return written([str(name) for name in names], tmp_path_factory)


def written(configs, tmp_path_factory):
    import sys

    from advisor.cli import app as cli

    path = tmp_path_factory.mktemp("page") / "report.html"
    options = ["-p", "server-throughput", "-p", "power-saving", "--cmdline", LINE, "-f", "html"]
    with pytest.MonkeyPatch.context() as patch:
        words = ["audit", *configs, *options, "-o", str(path), "--fail-on", "never"]
        patch.setattr(sys, "argv", ["kernel-advisor", *words])
        cli.run()
    return path.as_uri()


@pytest.fixture
def opened(chromium, page):
    """The browser with that page, which must neither complain nor ask for anything else."""
    chromium.open(page)
    yield chromium
    assert chromium.complaints() == []
    assert {address.partition("#")[0] for address in chromium.requests()} == {page}


def choose(opened, name, value):
    opened.run(f"""(() => {{
        const field = document.querySelector('[name={name}]');
        field.value = {value!r};
        field.dispatchEvent(new Event('input', {{bubbles: true}}));
    }})()""")
    opened.run(SETTLED)


def count(opened):
    shown, _, total, _ = opened.run("document.getElementById('count').textContent").split()
    assert int(shown) == opened.run(f"{SHOWN}.length")
    return int(shown), int(total)


@pytest.mark.parametrize(
    ("name", "value"),
    [("kind", "unknown"), ("kind", "diagnostic"), ("kind", "ok"), ("strength", "must"),
     ("strength", "error"), ("profile", "power-saving"), ("area", "timers")],
)  # fmt: skip
def test_a_choice_leaves_only_what_it_names(opened, name, value):
    everything = f"[...document.querySelectorAll('[data-{name}~={value}]')].length"
    expected = opened.run(everything)
    assert count(opened) == (count(opened)[1],) * 2
    choose(opened, name, value)
    assert count(opened)[0] == expected
    assert opened.run(f"{SHOWN}.every(e => e.matches('[data-{name}~={value}]'))")
    assert opened.run("location.hash") == f"#?{name}={value}"
    # What is in the overview is what is below it, and no section is empty.
    assert opened.run("""[...document.querySelectorAll('tr[data-for]')].every(row => row.hidden ===
        document.getElementById(row.dataset.for).closest('[data-kind]').hidden)""")
    assert opened.run("""[...document.querySelectorAll('main section')].every(s => s.hidden ||
        s.querySelector('[data-kind]:not([hidden]), tr[data-for]:not([hidden])'))""")
    opened.run("document.querySelector('[type=reset]').click()")
    opened.run(SETTLED)
    assert count(opened) == (count(opened)[1],) * 2
    assert opened.run("location.hash") == ""


def test_text_is_searched_in_what_is_folded(opened):
    opened.run("document.querySelector('[name=q]').focus()")
    opened.type("HZ_PERIODIC")
    opened.run(SETTLED)
    assert 0 < count(opened)[0] < 20
    assert opened.run(f"{SHOWN}.every(e => e.textContent.includes('HZ_PERIODIC'))")
    choose(opened, "q", "no such text")
    assert count(opened)[0] == 0
    assert opened.run("[...document.querySelectorAll('.none')].every(e => !e.hidden)")


def test_the_address_keeps_the_filter_and_leads_to_findings(chromium, page):
    chromium.open(f"{page}#?strength=must&profile=power-saving&no-such=x")
    assert 0 < count(chromium)[0] < count(chromium)[1]
    assert chromium.run("document.querySelector('[name=strength]').value") == "must"
    # A link to what the filter hides shows it again, and opens it.
    target = "document.getElementById('1/server-throughput/preemption-model')"
    assert chromium.run(f"Boolean({target}.closest('[hidden]'))")
    chromium.run(
        "document.querySelector('a[href$=\"1/server-throughput/preemption-model\"]').click()"
    )
    chromium.run(SETTLED)
    assert chromium.run(f"{target}.checkVisibility()")
    assert count(chromium) == (count(chromium)[1],) * 2


def test_everything_can_be_folded_and_unfolded(opened):
    folds = "document.querySelectorAll('main details{}').length"
    assert opened.run(folds.format("[open]")) == 0
    opened.run("document.getElementById('unfold').click()")
    assert opened.run(folds.format(":not([open])")) == 0
    opened.run("document.getElementById('fold').click()")
    assert opened.run(folds.format("[open]")) == 0


def test_the_keyboard_reaches_everything(opened):
    seen = []
    for _ in range(14):
        opened.press("Tab", 9)
        seen.append(
            opened.run("""(() => {
            const e = document.activeElement;
            const outline = getComputedStyle(e);
            return [e.className || e.name || e.id || e.tagName, outline.outlineStyle];
        })()""")
        )
    names = [name for name, _ in seen]
    assert names[0] == "skip"
    order = ["q", "kind", "profile", "strength", "area", "unfold", "fold"]
    assert [name for name in names if name in order] == order
    assert {outline for _, outline in seen} == {"solid"}
    opened.run("document.querySelector('main summary').focus()")
    opened.press("Enter", 13)
    assert opened.run("document.querySelector('main details').open")


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("width", [360, 800, 1280])
def test_nothing_is_wider_than_the_page(chromium, page, width, scripts):
    chromium.open(page, width=width, scripts=scripts)
    chromium.run("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert chromium.run("document.documentElement.scrollWidth <= innerWidth")
    # Not even within something that clips it.
    assert (
        chromium.run("""[...document.querySelectorAll('main *, footer *')].filter(e =>
        e.getBoundingClientRect().right > innerWidth && !e.closest('thead, caption'))
        .map(e => e.outerHTML.slice(0, 200))""")
        == []
    )


@pytest.mark.parametrize("dark", [True, False])
@pytest.mark.parametrize("width", [400, 800, 1280])
def test_names_of_the_overview_wrap_and_verdicts_do_not(chromium, long_names, width, dark):
    chromium.open(long_names, width=width, dark=dark)
    assert chromium.run("document.documentElement.scrollWidth <= innerWidth")
    lines = "[...document.querySelectorAll('header {}')].map(e => e.getClientRects().length)"
    assert min(chromium.run(lines.format("tbody th a"))) > 1 or width == 1280
    rows = chromium.run("""[...document.querySelectorAll('header tbody td')].map(cell => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return new Set([...range.getClientRects()].map(box => box.top)).size; })""")
    assert width < 1280 or set(rows) == {1}


def test_without_its_script(chromium, page):
    chromium.open(page, scripts=False)
    assert not chromium.run("document.getElementById('filter').checkVisibility()")
    assert chromium.run("[...document.querySelectorAll('[data-kind]')].every(e => !e.hidden)")
    # A link leads into a closed finding, which the browser opens by itself.
    chromium.run("document.querySelector('tr[data-for] a').click()")
    assert chromium.run("document.querySelectorAll('details[open]').length") == 1
    assert chromium.complaints() == []


@pytest.mark.parametrize("scripts", [True, False])
def test_paper_shows_what_is_folded(chromium, page, scripts):
    chromium.open(page, scripts=scripts)
    folded = pages(chromium)
    chromium.run("document.querySelectorAll('details').forEach(e => { e.open = true; })")
    assert abs(pages(chromium) - folded) <= 1
    chromium.run("document.querySelectorAll('main details').forEach(e => e.remove())")
    assert pages(chromium) < folded / 2


def pages(chromium):
    """How many sheets the page takes."""
    return len(re.findall(rb"/Type\s*/Page\b", chromium.print()))


def test_dark_and_light(chromium, page):
    grounds = []
    for dark in (False, True):
        chromium.open(page, dark=dark)
        grounds.append(chromium.run("getComputedStyle(document.documentElement).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(21, 24, 27)"]


def test_the_policy_stops_what_does_not_belong(chromium, page):
    """The counter-test: what the page holds beside its own script and style is not run."""
    chromium.open(page)
    chromium.run("""(() => {
        const script = document.createElement('script');
        script.textContent = 'window.ran = true';
        document.body.append(script);
        const picture = document.createElement('img');
        picture.src = 'https://example.invalid/x.png';
        document.body.append(picture);
    })()""")
    chromium.run(SETTLED)
    assert chromium.run("window.ran") is None
    assert len(chromium.complaints()) >= 2

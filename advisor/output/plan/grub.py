"""A boot line as a drop-in for grub-mkconfig, as Debian and Ubuntu read /etc/default/grub.d/*.cfg.

Two languages read it: the shell that runs grub-mkconfig, and GRUB's own, to which 10_linux hands
the text as it is. GRUB then quotes a word with blanks as a whole and puts a backslash before
quotes and backslashes (grub_create_loader_cmdline() of grub-core/lib/cmdline.c, read in 2.06).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from advisor.model.cmdline import parse_cmdline, quote
from advisor.model.plan import Plan
from advisor.model.report import Report
from advisor.output import Style
from advisor.output.plan import files, inside, opening, refuse, refuse_init, with_dropped
from advisor.output.plan.comments import boot_words, comment_lines

PLACE = "/etc/default/grub.d/zz-kernel-advisor.cfg"
_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
# In the names that the user's shell sees, ours comes first.
_DROP = r"""kernel_advisor_drop() {
	kernel_advisor_line=" $2 "
	while :; do
		case $kernel_advisor_line in
		*" $1 "*)
			kernel_advisor_before=${kernel_advisor_line%%" $1 "*}
			kernel_advisor_line="$kernel_advisor_before ${kernel_advisor_line#*" $1 "}"
			;;
		*) break ;;
		esac
	done
	kernel_advisor_line=${kernel_advisor_line# }
	printf '%s\n' "${kernel_advisor_line% }"
}"""
_LOOP = """for kernel_advisor_word in {words}; do
	GRUB_CMDLINE_LINUX=$(kernel_advisor_drop "$kernel_advisor_word" "${{GRUB_CMDLINE_LINUX-}}")
	GRUB_CMDLINE_LINUX_DEFAULT=$(
		kernel_advisor_drop "$kernel_advisor_word" "${{GRUB_CMDLINE_LINUX_DEFAULT-}}"
	)
done"""


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the drop-in of each report: words to remove, words to add."""
    return files(reports, _drop_in)


def remarks(plan: Plan) -> list[str]:
    """Return what a reader has to know beside the words."""
    left = (
        "A parameter that is still on the line after a reboot comes from another place. Removed "
        "from GRUB_CMDLINE_LINUX and GRUB_CMDLINE_LINUX_DEFAULT"
    )
    place = f"Install this file as {PLACE}, which is read last. Then run update-grub."
    return [place, *with_dropped(left, plan)]


def _drop_in(report: Report) -> Iterable[str]:
    plan = report.plan
    stuck = inside(plan.dropped, plan)
    refuse("grub", plan.words, _unfit)
    refuse("grub", plan.dropped, lambda word: f"part of {stuck[word]}" if word in stuck else "")
    refuse_init("grub", plan)
    yield from opening("GRUB settings", report, remarks(plan))
    yield from boot_words(report)
    if not plan.words and not plan.dropped:
        yield from comment_lines("Nothing to change.")
    if plan.dropped:
        forms = dict.fromkeys(form for word in plan.dropped for form in _forms(word))
        yield _DROP
        yield _LOOP.format(words=" ".join(map(_shell, forms)))
    if plan.words:
        words = _escaped(" ".join(map(grub_word, plan.words)))
        name = "GRUB_CMDLINE_LINUX_DEFAULT"
        # The last on the line, and not on that of the recovery entries.
        yield f'{name}="${{{name}:+${name} }}{words}"'


def _unfit(word: str) -> str:
    if "'" in word or "\\" in word:
        return "GRUB puts a backslash before a quote or backslash"
    if "\t" in word:
        return "a tab"
    bare = word.replace('"', "")
    # GRUB's own quotes stand around the whole word, and the kernel has to read the same from it.
    lines = (word, f'"{bare}"' if " " in bare else bare)
    meant, read = ([(w.name, w.value) for w in parse_cmdline(one).words] for one in lines)
    return "" if meant == read else "GRUB does not keep these double quotes"


def grub_word(word: str) -> str:
    """Return the word in GRUB's language, which adds double quotes to one with blanks itself."""
    bare = word.replace('"', "")
    return bare if _PLAIN.fullmatch(bare) else f"'{bare}'"


def _forms(word: str) -> list[str]:
    """Return how the word may be written in the settings: as on the line, or in other quotes."""
    if _unfit(word):
        return [word]
    bare = word.replace('"', "")
    return [word, grub_word(word), *([quote(bare), f'"{bare}"'] if " " in bare else [])]


def _shell(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return re.sub(r'([\\"$`])', r"\\\1", text)

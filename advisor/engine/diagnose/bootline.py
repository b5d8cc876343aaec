"""Problems of the boot line: words that the kernel refuses or ignores, and the line as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.engine.diagnose.consoles import diagnose_consoles
from advisor.engine.diagnose.dyndbg import diagnose_dyndbg, is_dyndbg
from advisor.engine.diagnose.foreign_words import foreign, of_other_kernels
from advisor.engine.diagnose.values_apart import values_apart
from advisor.engine.diagnose.words import READING, REMARKS, of_word
from advisor.engine.effective.boot_line import RELEASE, Ruling, limit_of
from advisor.engine.effective.word_values import plain
from advisor.engine.effective.world import World
from advisor.engine.remedy.remedies import lines_for
from advisor.errors import shortened
from advisor.model import condition
from advisor.model.finding import Diagnostic, Finding, diagnostic
from advisor.model.kernel import Layer, Severity, Word
from advisor.model.numbers import count_of, release_numbers
from advisor.model.parameter import Parameter
from advisor.model.remedy import spelled_out
from advisor.model.rules import address

# The diagnostic of a ruling's cause, and its severity if the table leaves that open.
_CAUSES = {
    "built": ("parameter-not-built", None),
    "machine": ("parameter-other-machine", None),
    "arch": ("parameter-wrong-arch", Severity.ERROR),
    "new": ("parameter-too-new", Severity.ERROR),
    "old": ("parameter-removed", Severity.ERROR),
    "refused": ("parameter-value-refused", Severity.ERROR),
    "obsolete": ("parameter-no-effect", None),
    "void": ("parameter-void", None),
}
SIZES = (
    "hugepages", "hugepagesz", "default_hugepagesz", "crashkernel", "log_buf_len", "mem", "memmap",
)  # fmt: skip
"""The parameters that diagnose/sizes.py checks."""
_FALSE = frozenset(("0", "n", "no", "off", "false"))
# By the type of a parameter, the values that switch off what it is about: swiotlb=noforce.
_OFF = {
    "bool": _FALSE, "string": ("noforce",), "enum": ("off", "disable", "disabled", "never"),
}  # fmt: skip
# Of several words of such parameters none overrides another one.
_ALL_COUNT = ("accumulate", "flags", "sized", "reserving")
# Names that say what they take away, and those that only begin so: nohz is a thing, and nohlt asks
# for more than there is without it.
_AWAY = ("no", "dis")
_NAMED = frozenset(("nohz", "nohlt"))
_OLDER = "this kernel, whose symbols are those of an older release,"


def diagnose_line(world: World, findings: Iterable[Finding] = ()) -> list[Diagnostic]:
    """Report what is wrong with the words of the boot line, in their order; no remedy is against
    what the findings ask for."""
    line, own = world.line, world.subject.cmdline
    diagnostics = []
    if lost := line.lost:
        more = f" and {len(lost) - 1} parameters after it" if len(lost) > 1 else ""
        kept = f"the kernel keeps {line.room} bytes of the boot line"
        message = f"{kept} and cuts off {shortened(lost[0].text)}{more}"
        limit, place = limit_of(world.knowledge, world), world.place(lost[0])
        source = address(limit.sources) if limit else ""
        text = lost[0].text
        diagnostics.append(diagnostic("line-too-long", place, message, "", source, text))
    for word in own.init if own else ():
        if line.parameter(word):
            message = f"{shortened(word.text)} is after '--': only init gets the parameter"
            place = world.place(word)
            diagnostics.append(
                diagnostic("parameter-for-init", place, message, "", READING, word.text)
            )
    apart = [*values_apart(world)]
    diagnostics += [one.told for one in apart]
    told = {word for one in apart for word in one.words}
    words = [word for word in line.words if word not in told]
    diagnostics += [*_duplicates(world), *foreign(words, world, findings), *_overflow(world)]
    diagnostics += diagnose_consoles(words, world)
    parameters = [line.parameter(word) for word in words]
    for word, parameter in zip(words, parameters, strict=True):
        diagnostics += _of_word(word, parameter, world) if parameter else ()
        if is_dyndbg(word) and word.text not in (one.told.subject for one in apart):
            diagnostics += diagnose_dyndbg(word, world)
        if parameter and world.knowledge.named_in("boot", parameter.name):
            from advisor.engine.diagnose.components import diagnose_word

            if world.line.ruling(word).cause in ("", "named"):
                diagnostics += diagnose_word(word, world)
    if any(parameter and parameter.type == "cpulist" for parameter in parameters):
        from advisor.engine.diagnose.cpulists import diagnose_lists

        diagnostics += diagnose_lists(world)
    sized = [word for word in line.words if word.name in SIZES and word.value]
    if sized := [word for word in sized if line.may_count(word)]:
        from advisor.engine.diagnose.sizes import diagnose_sizes

        diagnostics += diagnose_sizes(sized, world)
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.location[1:])


def _overflow(world: World) -> Iterator[Diagnostic]:
    """Report if init's two tables, of arguments and of its environment, cannot hold the words that
    the kernel passes on.

    Each has one place more than INIT_ENV_ARG_LIMIT; init's name, HOME and TERM take theirs.
    """
    limit = count_of(world.symbol("INIT_ENV_ARG_LIMIT")) or 32
    line = world.subject.cmdline
    behind = line.init if line else ()
    if len(world.line.words) + len(behind) < limit - 1:
        return
    passed = [word for word in world.line.words if _for_init(word, world)]
    arguments = [*(word for word in passed if word.value is None), *behind]
    # A later NAME= takes the place that an earlier one has in the environment.
    variables = {word.name: word for word in reversed(passed) if word.value is not None}
    for what, words, room in (
        ("arguments", arguments, limit),
        ("variables", [*reversed(variables.values())], limit - 1),
    ):
        if len(words) > room:
            word = words[room]
            message = (
                f"this line gives init {len(words)} {what}, but the kernel allows only {room} and "
                f"panics at {shortened(word.text)}"
            )
            place = world.place(word)
            yield diagnostic("line-overflows-init", place, message, source=READING, subject=what)


def _for_init(word: Word, world: World) -> bool:
    """Return whether the kernel does not know the word and passes it on."""
    if "." in word.name or word.name in ("BOOT_IMAGE", "kexec"):
        return False
    if world.line.parameter(word):
        ruling = world.line.ruling(word)
        return ruling.truth is False and ruling.cause in ("built", "arch", "new", "old")
    return world.knowledge.parameter_catalogue.seen(word.name) is None


def _of_word(word: Word, parameter: Parameter, world: World) -> Iterator[Diagnostic]:
    """Report what is wrong with a word whose parameter the rules have."""
    ruling = world.line.ruling(word)
    if ruling.cause == "named":
        return  # which diagnose/components.py reports
    if ruling.cause and ruling.truth is not False:
        # Remarks are not worth a diagnostic: most likely the word does nothing.
        yield _maybe_backported(word, parameter, ruling, world)
        return
    kinds = [*REMARKS] if ruling.truth is not False else []
    if ruling.cause == "built":
        kinds = ["redundant"]  # a kernel may lack the word for what it does anyway
    remarks = world.line.remarks(plain(word), *kinds)
    nothing = ruling.cause == "built" and not remarks and _switches_off(word, parameter)
    if nothing and not of_other_kernels(word.name, world):
        text = f"{ruling.reason}; this kernel does not have what the parameter disables"
        remedy = "remove the parameter, unless another kernel with this boot line reads it"
        yield of_word("parameter-redundant", word, text, world, remedy)
    elif ruling.truth is False and not remarks:
        yield _ignored(word, parameter, ruling, world)
    elif parameter.renamed and world.line.honours(parameter.renamed + "=").truth is True:
        message = f"{word.name} is the old name of {parameter.renamed}"
        remedy = parameter.advice or f"write {parameter.renamed}"
        place, source = world.place(word), address(parameter.sources)
        yield diagnostic("parameter-superseded", place, message, remedy, source, word.text)
    yield from _of_parts(word, parameter, world)
    # One reason is enough why a word adds nothing, or has no effect.
    once = {remark.kind: remark for remark in reversed(remarks) if remark.kind != "caution"}
    # Without the word, the other layer's word may decide, and have another value.
    same = world.line.by_name.get(word.name, ()) if parameter.duplicates not in _ALL_COUNT else ()
    decides = any(one.layer is not word.layer and one.value != word.value for one in same)
    for remark in remarks:
        first = once.get(remark.kind, remark) is remark
        if first and not (remark.kind == "redundant" and decides):
            remedy = remark.remedy or parameter.advice
            yield of_word(REMARKS[remark.kind], word, remark.says, world, remedy)


def _of_parts(word: Word, parameter: Parameter, world: World) -> Iterator[Diagnostic]:
    """Report the rest of a value of mitigations= that the kernel logs and ignores."""
    vectors = world.line.vectors if parameter.duplicates == "parts" else None
    if vectors is None:
        return
    from advisor.engine.effective.attack_vectors import parts_of

    parts = parts_of(word.value or "", has_vectors=vectors)
    if parts.rest and parts.taken and world.line.may_count(word):
        text = (
            f"the kernel uses only {word.name}={parts.taken}, and logs the rest "
            f"('{shortened(parts.rest)}') as unsupported"
        )
        remedy = f"write {word.name}={parts.taken}, or correct the rest"
        yield of_word("parameter-value-refused", word, text, world, remedy, Severity.ERROR)


def _switches_off(word: Word, parameter: Parameter) -> bool:
    """Return whether the word only switches off what its parameter is about (`pci=off`, `nohz=0`,
    `nomodule`): a kernel without that is as the word asks."""
    own = parameter.name.rpartition(".")[2]
    value = (word.value or "").lower()
    if own.startswith(_AWAY) and own not in _NAMED:
        return parameter.type in ("flag", "bool") and value not in _FALSE
    # A 0 beside a 1 is off as well.
    is_zero = value == "0" and {"0", "1"} <= dict(parameter.words).keys()
    return value in _OFF.get(parameter.type, ()) or (parameter.type == "enum" and is_zero)


def _ignored(word: Word, parameter: Parameter, ruling: Ruling, world: World) -> Diagnostic:
    """Return the diagnostic of a word that the kernel does not honour."""
    name, severity = _CAUSES[ruling.cause]
    if ruling.remark and ruling.remark.met:
        name = "parameter-redundant"  # what keeps it from acting does what it asks for
    text = ruling.reason
    if ruling.cause == "refused":
        value = (
            "the parameter without a value" if word.value is None else repr(shortened(word.value))
        )
        text = f"{value} {text}"
        old = parameter.refusal_since and world.subject.is_before(
            release_numbers(parameter.refusal_since)
        )
        if parameter.refusal and not old and word.value is not None:
            text += f' (the kernel logs "{parameter.refusal}")'
    if ruling.cause in ("built", "arch", "machine"):
        text += "; the kernel ignores the parameter"
    remedy = (ruling.remark.remedy if ruling.remark else "") or parameter.advice
    if ruling.cause == "built" and remedy == parameter.advice and not _is_for_all(remedy, world):
        takes = world.line.takes(plain(word), parameter)
        remedy = _build_or_remove(parameter, ruling, world) if takes else "remove the parameter"
    if ruling.cause == "arch" and not _names_arch(remedy, world):
        # What the rules advise ("on arm64 write kpti=1") is for others.
        remedy = "remove the parameter"
    # The code of another architecture tells that this one does not read it.
    source = address(parameter.sources) if ruling.cause == "arch" else None
    refused = ruling.cause == "refused" and bool(word.value)
    if refused and (meant := _meant_word(word, parameter, world)):
        remedy = f"did you mean {meant}?"
    return of_word(name, word, text, world, remedy, severity, source)


def _names_arch(advice: str, world: World) -> bool:
    """Return whether advice names this kernel's architecture, as `on arm64, write kpti=1` does."""
    return world.subject.machine.arch in re.findall(r"\w+", advice)


def _is_for_all(advice: str, world: World) -> bool:
    """Return whether what the rules advise about a word also helps a kernel that does not read the
    word: most advice is about the effect of the word."""
    if written := re.match(r"write ([\w.-]+=?)", advice):
        return world.line.honours(written[1]).truth is True
    if advice.startswith("on "):
        return _names_arch(advice, world)
    return bool(re.match(r"remove (?!.*, (?:unless|or write) )|if ", advice, re.IGNORECASE))


def _meant_word(word: Word, parameter: Parameter, world: World) -> str:
    """Return the word under the name of the general parameter, if that takes a value which a
    vendor's refuses (iommu=pt, intel_iommu=pt), else with values that the parameter takes, few
    slips away; empty if none is. Values that are joined although each has to stand in a word of its
    own are several words."""
    from advisor.model.likeness import slipped  # few values are wrong

    general, value = word.name.partition("_")[2], word.value or ""
    meant = f"{general}={value}"
    if general and world.knowledge.parameter(general) and world.line.honours(meant).truth:
        return meant
    known = [text for text, _ in parameter.words if text and "*" not in text]
    name = word.text.partition("=")[0]
    each_counts = bool(known) and parameter.duplicates in ("accumulate", "flags")
    parts = value.split(",") if parameter.joined or each_counts else [value]
    nearest = [part if part in known else (*slipped(part, known), part)[0] for part in parts]
    if each_counts and not parameter.joined:
        words = [f"{name}={part}" for part in dict.fromkeys(nearest)]
    else:
        words = [f"{name}={','.join(nearest)}"]
    is_new = words != [word.text] and all(world.line.honours(one).truth is True for one in words)
    return " ".join(words) if is_new else ""


def _build_or_remove(parameter: Parameter, ruling: Ruling, world: World) -> str:
    """Return how a kernel is built that reads the parameter, or that the word is to be removed.

    Nobody can ask for a symbol without a prompt: other symbols of the machine select it.
    """
    if needed := lines_for(parameter.only_if, world):
        return f"build a kernel with {spelled_out(needed)}, or remove the parameter"
    lacking = ruling.reason.removeprefix("needs ")
    if lacking == ruling.reason:
        return ""
    if all(map(world.lacks_prompt, condition.symbols(parameter.only_if))):
        return (
            "remove the parameter: no menu option of this kernel enables what the parameter needs"
        )
    return f"build a kernel with {lacking}, or remove the parameter"


def _maybe_backported(word: Word, parameter: Parameter, ruling: Ruling, world: World) -> Diagnostic:
    """Return the diagnostic of a word that is too new by the kernel's version, if nothing shows a
    backport or rules one out: a note if one is likely."""
    from advisor.engine.effective.backports import Backport, of_parameter, vendor

    subject = world.subject
    this = f"Linux {subject.kernel.text}" if subject.kernel else _OLDER
    severity = Severity.NOTE
    doubt = f"{this} may have the parameter: such parameters are backported to stable kernels"
    if ruling.truth == RELEASE:
        doubt = f"the source of {this} was not read, so the parameter may be missing"
    elif carrier := vendor(subject):
        doubt = f"{this} may have the parameter: kernels of this kind ({carrier}) contain backports"
    elif ruling.cause == "new" and (
        of_parameter(parameter, subject, world.knowledge) is not Backport.TAKEN
    ):
        severity = Severity.WARNING
        doubt = (
            f"{this} ignores the parameter if no patch backported it (the configuration does not "
            "show backports)"
        )
    text = f"{ruling.reason}; {doubt}"
    remedy = "remove the parameter, unless this kernel's changelog names it"
    return of_word(_CAUSES[ruling.cause][0], word, text, world, remedy, severity)


def _duplicates(world: World) -> Iterator[Diagnostic]:
    for name, given in world.line.by_name.items():
        parameter = world.knowledge.parameter(name)
        if parameter is None or parameter.duplicates in _ALL_COUNT:
            continue
        if parameter.list and parameter.list.default:
            continue  # diagnose/cpulists.py reports which of these lists count
        counting = world.line.counting(parameter.name)
        idle = [word for word in given if word not in counting]
        if counting and counting[0].layer is Layer.BOOT:
            # A word of the boot loader's line is there to win over the built-in one.
            idle = [word for word in idle if word.layer is not Layer.BUILT_IN]
        if not (counting and idle) or len({word.value for word in given}) < 2:
            continue
        winner, order = counting[0].text, "first" if parameter.duplicates == "first" else "last"
        why, remedy = f"takes effect (the {order} one wins)", f"keep only {winner}"
        if parameter.duplicates == "parts" and world.line.vectors is not None:
            winner, why = plain(counting[0]), "is their combined effect"
            remedy = "keep only the parameter that you mean"
        message = f"{parameter.name} is given {len(given)} times; {winner} {why}"
        place, source = world.place(idle[0]), address(parameter.sources)
        yield diagnostic("parameter-duplicate", place, message, remedy, source, idle[0].text)

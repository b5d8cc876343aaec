"""Problems of the boot line: words that the kernel does not know, refuses, or ignores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.diagnose.consoles import diagnose_consoles
from advisor.engine.diagnose.dyndbg import diagnose_dyndbg, is_dyndbg
from advisor.engine.diagnose.values_apart import values_apart
from advisor.engine.diagnose.words import of_word
from advisor.engine.effective.boot_line import RELEASE, Ruling, is_like, numbers, plain
from advisor.engine.effective.world import World
from advisor.engine.remedy.remedies import lines_for
from advisor.errors import shortened
from advisor.model import condition
from advisor.model.kernel import Layer, Severity, Word
from advisor.model.numbers import count_of
from advisor.model.report import Diagnostic, Finding, diagnostic, spelled_out
from advisor.model.rules import Parameter, Reader, Source, address

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
REMARKS = {
    "void": "parameter-void",
    "redundant": "parameter-redundant",
    "caution": "parameter-caution",
    "elsewhere": "parameter-elsewhere",
}
"""The diagnostic of each kind of remark in the rules."""
_STANDINGS = {
    "REMOVED": "parameter-removed",
    "TOO_NEW": "parameter-too-new",
    "OTHER_ARCH": "parameter-wrong-arch",
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
_DEAD = ("arch", "built", "new", "obsolete", "old")
"""Why the kernel reads no word of a parameter, whatever its value."""
# The parser of the line, which passes words that the kernel does not know to init.
_READING = Source("code", "init/main.c", "6.12", "unknown_bootoption()").url
MOST = 10
"""How many words that nobody knows are listed one by one, the others as a number."""


def diagnose_line(world: World, findings: Iterable[Finding] = ()) -> list[Diagnostic]:
    """Report what is wrong with the words of the boot line, in their order; no remedy is against
    what the findings ask for."""
    line, own = world.line, world.subject.cmdline
    diagnostics = []
    if lost := line.lost:
        more = f" and {len(lost) - 1} words behind it" if len(lost) > 1 else ""
        kept = f"the kernel keeps {line.room} bytes of the boot line"
        message = f"{kept} and cuts off {shortened(lost[0].text)}{more}"
        limits = world.knowledge.limits(world.subject.machine.arch or "")
        source, place = address(limits[-1].sources) if limits else "", world.place(lost[0])
        text = lost[0].text
        diagnostics.append(diagnostic("line-too-long", place, message, "", source, text))
    for word in own.init if own else ():
        if line.parameter(word):
            message = f"{shortened(word.text)} is behind --: only init gets the word"
            place = world.place(word)
            diagnostics.append(
                diagnostic("parameter-for-init", place, message, "", _READING, word.text)
            )
    apart = [*values_apart(world)]
    diagnostics += [one.told for one in apart]
    told = {word for one in apart for word in one.words}
    words = [word for word in line.words if word not in told]
    diagnostics += [*_duplicates(world), *_foreign(words, world, findings), *_overflow(world)]
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
                f"{len(words)} words of this line come to init as {what}, and there is room for "
                f"{room}: the kernel panics at {shortened(word.text)}"
            )
            place = world.place(word)
            yield diagnostic("line-overflows-init", place, message, source=_READING, subject=what)


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
    if nothing and not _of_other_kernels(word.name, world):
        text = f"{ruling.reason}; there is nothing here to switch off"
        remedy = "leave it out, unless the same line is for kernels that have it"
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
            f"the kernel takes {word.name}={parts.taken}, logs the rest "
            f"('{shortened(parts.rest)}') as unsupported and ignores it"
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
        value = "no value" if word.value is None else repr(shortened(word.value))
        text = f"{value} {text}"
        old = parameter.refusal_since and world.subject.is_before(numbers(parameter.refusal_since))
        if parameter.refusal and not old and word.value is not None:
            text += f' (the kernel logs "{parameter.refusal}")'
    if ruling.cause in ("built", "arch", "machine"):
        text += "; it is ignored here"
    remedy = (ruling.remark.remedy if ruling.remark else "") or parameter.advice
    if ruling.cause == "built" and not remedy:
        remedy = _build_or_remove(parameter, ruling, world)
    if ruling.cause == "arch" and not parameter.arch:
        remedy = "remove it"  # what the rules advise is for where it could be had
    refused = ruling.cause == "refused" and bool(word.value)
    if refused and (meant := _meant_word(word, parameter, world)):
        remedy = f"did you mean {meant}?"
    return of_word(name, word, text, world, remedy, severity)


def _meant_word(word: Word, parameter: Parameter, world: World) -> str:
    """Return the word under the name of the general parameter, if that takes a value which a
    vendor's refuses (iommu=pt, intel_iommu=pt), else with values that the parameter takes, few
    slips away; empty if none is."""
    from advisor.model.likeness import slipped  # few values are wrong

    general, value = word.name.partition("_")[2], word.value or ""
    meant = f"{general}={value}"
    if general and world.knowledge.parameter(general) and world.line.honours(meant).truth:
        return meant
    known = [text for text, _ in parameter.words if text and "*" not in text]
    parts = value.split(",") if parameter.joined else [value]
    nearest = [part if part in known else (*slipped(part, known), part)[0] for part in parts]
    meant = f"{word.text.partition('=')[0]}={','.join(nearest)}"
    return meant if nearest != parts and world.line.honours(meant).truth is True else ""


def _build_or_remove(parameter: Parameter, ruling: Ruling, world: World) -> str:
    """Return how a kernel is built that reads the parameter, or that the word is to be removed.

    Nobody can ask for a symbol without a prompt: other symbols of the machine select it.
    """
    if needed := lines_for(parameter.needs, world):
        return f"build {spelled_out(needed)}, or remove the word"
    lacking = ruling.reason.removeprefix("needs ")
    if lacking == ruling.reason:
        return ""
    if all(map(world.lacks_prompt, condition.symbols(parameter.needs))):
        return "remove the word: no option of this kernel's menus enables what it needs"
    return f"build a kernel with {lacking}, or remove the word"


def _maybe_backported(word: Word, parameter: Parameter, ruling: Ruling, world: World) -> Diagnostic:
    """Return the diagnostic of a word that is too new by the kernel's version, if nothing shows a
    backport or rules one out: a note if one is likely."""
    from advisor.engine.effective.backports import Backport, of_parameter, vendor

    subject = world.subject
    this = subject.kernel.text if subject.kernel else "the kernel, older by its symbols,"
    severity = Severity.NOTE
    doubt = f"{this} may have it: such words are backported to stable kernels"
    if ruling.truth == RELEASE:
        doubt = f"{this} is between these releases and was not read"
    elif carrier := vendor(subject):
        doubt = f"{this} may have it: kernels of this kind ({carrier}) carry backports"
    elif ruling.cause == "new" and (
        of_parameter(parameter, subject, world.knowledge) is not Backport.TAKEN
    ):
        severity = Severity.WARNING
        doubt = f"{this} ignores it, unless it was backported, which the configuration cannot show"
    text, remedy = f"{ruling.reason}; {doubt}", "remove it, unless this kernel's changelog names it"
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
        why, remedy = f"counts (the {order} one wins)", f"keep only {winner}"
        if parameter.duplicates == "parts" and world.line.vectors is not None:
            winner, why = plain(counting[0]), "is what they come to"
            remedy = "keep only the word that you mean"
        message = f"{parameter.name} is given {len(given)} times; {winner} {why}"
        place, source = world.place(idle[0]), address(parameter.sources)
        yield diagnostic("parameter-duplicate", place, message, remedy, source, idle[0].text)


# --- words that are in no rule ------------------------------------------------------------------


def _foreign(
    line: Sequence[Word], world: World, findings: Iterable[Finding]
) -> Iterator[Diagnostic]:
    """Report the words that no rule names and the kernel does not have, by the list of words for
    user space and by the catalogue of the parameters of kernels."""
    words = {word.text: word for word in line}
    strange = []
    for word in words.values():
        known, parameter = world.knowledge.name(word.name), world.line.parameter(word)
        # A rule may be for all parameters of a module; diagnose/sysctls.py checks sysctls.
        of_module = parameter and parameter.name.endswith(".*") and word.name[:7] != "sysctl."
        if parameter and not of_module:
            continue
        if reader := world.knowledge.reader(word.name):
            yield from _of_reader(word, reader, world)
            continue
        if known and known.kind in ("parameter", "out-of-tree"):
            if world.lacks(known):
                text, source = f"no kernel parameter today. {known.history}", address(known.sources)
                remedy, severity = known.today, Severity.WARNING
                yield of_word("parameter-unknown", word, text, world, remedy, severity, source)
        else:
            strange.append(word)
    # Only the catalogue may have these words, and reading it costs more than reading all rules.
    if not strange or not world.knowledge.parameter_catalogue.kernels:
        return
    lacking = 0
    for number, word in enumerate(strange):
        if lacking == MOST:
            text = f"and {len(strange) - number} more words that no rule knows"
            remedy = "check the words listed here; the others may be for the same program"
            id, place, severity = "parameter-unknown", world.place(word), Severity.NOTE
            yield diagnostic(id, place, text, remedy, _READING, "others", severity)
            return
        if problem := _standing(word, world, findings):
            lacking += 1
            yield problem


def _of_reader(word: Word, reader: Reader, world: World) -> Iterator[Diagnostic]:
    """Report what the rules remark on a word that a program of user space reads."""
    source = address(reader.sources)
    for remark in reader.remarks:
        means_it = any(is_like(plain(word), value) for value in remark.values)
        if means_it and world.evaluate(remark.when) is True:
            name, remedy = REMARKS[remark.kind], remark.remedy
            yield of_word(name, word, remark.says, world, remedy, source=source)


def _standing(word: Word, world: World, findings: Iterable[Finding]) -> Diagnostic | None:
    """Return the diagnostic of a word that the kernel does not have, by the catalogue."""
    subject, catalogue = world.subject, world.knowledge.parameter_catalogue
    kernel, arch = subject.kernel, subject.machine.arch
    # ivrs_ioapic[32]=00:14.0 is for the flag ivrs_ioapic, which takes all that begins so.
    bare = word.name.partition("[")[0]
    if catalogue.surely_has(bare, kernel, arch):
        return None
    from advisor.knowledge.existence import Standing, parameter_standing

    answer = parameter_standing(word.name, catalogue, kernel, arch)
    if answer.standing is Standing.UNKNOWN:
        return _unknown(word, answer.text, world, findings)
    name = _STANDINGS.get(answer.standing.name)
    if name is None:
        return None
    severity = Severity.NOTE if answer.doubt else Severity.WARNING
    text = f"{answer.text}{answer.doubt}"
    return of_word(name, word, text, world, "", severity, _READING)


def _of_other_kernels(name: str, world: World) -> bool:
    """Return whether only another version or machine reads the parameter, whatever was built:
    nobody means such a parameter."""
    parameter = world.knowledge.parameter(name)
    needs = parameter.needs if parameter else None
    if world.evaluate(needs) is not False:
        return False
    return all(atom[0] == "fact" for atom in condition.atoms(condition.lacking(needs, world)))


def _unknown(word: Word, read: str, world: World, findings: Iterable[Finding]) -> Diagnostic:
    """Return the diagnostic of a word of no kernel: a slip if a name is near, else a word for
    another program."""
    from advisor.engine.effective.backports import vendor

    subject, catalogue = world.subject, world.knowledge.parameter_catalogue
    # A word that says no may be an option of a parameter, as noacpi is one of pci=. Init may read
    # other options as well: `status`, `single`.
    says_no = word.value is None and word.name.startswith("no")
    near = world.knowledge.options(word.name) if says_no else []
    near = near or catalogue.near(word.name, subject.kernel, subject.machine.arch)
    near = [name for name in near if not _of_other_kernels(name, world)]
    if sysctl := _bare_sysctl(word, bool(near), world, findings):
        return sysctl
    module, dot, _ = word.name.partition(".")
    fate = "init gets it, the kernel does not read it"
    severity = Severity.NOTE
    if dot and catalogue.knows_module(module):
        fate = f"the module {module} has no such parameter"
        severity = Severity.WARNING
    elif dot:
        fate = (
            f"the kernel keeps it for a module {module}; no kernel that was read has such a "
            "parameter"
        )
    elif carrier := vendor(subject):
        # Vendors who carry features into their kernels have words of their own for some of them.
        fate = f"init gets it, unless this kernel's vendor added it ({carrier})"
    if flag := catalogue.flag_before(word.name):
        fate = f"kernels that have {flag} read every word that begins so as {flag}"
    readers = "init, or a program that reads /proc/cmdline,"
    if fate.startswith("init") and vendor(subject):
        readers = f"the vendor's kernel, {readers}"
    remedy = f"keep it if {readers} needs it: the kernel does not"
    if near and not dot and all("." in name for name in near):
        # Modules name their parameters by common words, and other programs do as well.
        remedy += f"; if it is for a module, write {' or '.join(near)}"
        near = []
    if severity is Severity.WARNING:
        remedy = f"look up its name: modinfo -p {module}"
    if near:
        severity, remedy = Severity.ERROR, _meant(near, world)
    text = f"{read}; {fate}"
    return of_word("parameter-unknown", word, text, world, remedy, severity, _READING)


def _meant(near: Iterable[str], world: World) -> str:
    """Return a remedy: the names that may be meant, or why the kernel would ignore these too."""
    rulings = {name: world.line.honours(name) for name in near}
    read_here = [name for name, ruling in rulings.items() if ruling.cause not in _DEAD]
    if read_here:
        return f"did you mean {' or '.join(read_here)}?"
    return f"remove it: {'; '.join(f'{name} {one.reason}' for name, one in rulings.items())}"


def _bare_sysctl(
    word: Word, is_near: bool, world: World, findings: Iterable[Finding]
) -> Diagnostic | None:
    """Return the diagnostic of a sysctl that is on the line under its bare name."""
    written = word.text.partition("=")[0]
    dot, sysctls = "." in word.name, world.knowledge.sysctl_catalogue
    meant = written if dot and sysctls.seen(written) else ""
    if not (dot or is_near) and word.value and "_" in written:
        # Without its folder a name of one word may be anybody's; a name of several is a sysctl's.
        meant = sysctls.ending(written)
    if not meant:
        return None
    from advisor.engine.diagnose.baresysctl import remedy_of

    text = f"{meant} is a sysctl, which the kernel does not read under its bare name"
    remedy = remedy_of(word, meant, world, findings)
    severity = Severity.ERROR if dot else Severity.WARNING
    return of_word("parameter-unknown", word, text, world, remedy, severity, _READING)

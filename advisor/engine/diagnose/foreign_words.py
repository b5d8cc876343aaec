"""Words of the boot line that are in no rule: a slip, a sysctl, or a word for another program.

The list of words for user space and the catalogue of the parameters of kernels tell which.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.engine.diagnose.words import READING, REMARKS, of_word
from advisor.engine.effective.word_values import is_like, plain
from advisor.engine.effective.world import World
from advisor.engine.judgement.judge import satisfied_by
from advisor.errors import meant
from advisor.model import condition
from advisor.model.finding import ASIDE, Diagnostic, Finding, diagnostic
from advisor.model.kernel import Severity, Word
from advisor.model.parameter import Reader
from advisor.model.rules import address
from advisor.model.saying import said
from advisor.model.tunable import Tunable

_STANDINGS = {
    "REMOVED": "parameter-removed",
    "TOO_NEW": "parameter-too-new",
    "OTHER_ARCH": "parameter-wrong-arch",
}
_DEAD = ("arch", "built", "new", "obsolete", "old")
"""Why the kernel reads no word of a parameter, whatever its value."""
_MOST = 10
"""How many words that nobody knows are listed one by one, the others as a number."""


def foreign(
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
                text, source = (
                    f"the kernel has no such parameter today. {known.history}",
                    address(known.sources),
                )
                remedy, severity = known.today, Severity.WARNING
                yield of_word("parameter-unknown", word, text, world, remedy, severity, source)
        else:
            strange.append(word)
    # Only the catalogue may have these words, and reading it costs more than reading all rules.
    if not strange or not world.knowledge.parameter_catalogue.kernels:
        return
    lacking = 0
    for number, word in enumerate(strange):
        if lacking == _MOST:
            text = f"and {len(strange) - number} more parameters that no rule knows"
            remedy = (
                "check the parameters that this report names; the others may be for "
                "the same program"
            )
            id, place, severity = "parameter-unknown", world.place(word), Severity.NOTE
            yield diagnostic(id, place, text, remedy, READING, "others", severity)
            return
        if problem := _standing(word, world, findings):
            lacking += 1
            yield problem


def _of_reader(word: Word, reader: Reader, world: World) -> Iterator[Diagnostic]:
    """Report what the rules remark on a word that a program of user space reads."""
    source = address(reader.sources)
    for remark in reader.remarks:
        means_it = any(is_like(plain(word), value) for value in remark.values)
        if means_it and world.evaluate(remark.only_if) is True:
            name, remedy = REMARKS[remark.kind], remark.remedy
            yield of_word(name, word, remark.says, world, remedy, source=source)


def _standing(word: Word, world: World, findings: Iterable[Finding]) -> Diagnostic | None:
    """Return the diagnostic of a word that the kernel does not have, by the catalogue."""
    subject, catalogue = world.subject, world.knowledge.parameter_catalogue
    kernel, arch = subject.kernel, subject.machine.arch
    # ivrs_ioapic[32]=00:14.0 is for the flag ivrs_ioapic, which takes all that begins so.
    bare = word.name.partition("[")[0]
    if catalogue.surely_has(bare, kernel, arch):
        return _of_driver(word, world)
    from advisor.knowledge.existence import Standing, parameter_standing

    answer = parameter_standing(word.name, catalogue, kernel, arch)
    if answer.standing is Standing.UNKNOWN:
        return _unknown(word, answer.text, world, findings)
    name = _STANDINGS.get(answer.standing.name)
    if name is None:
        return None
    severity = Severity.NOTE if answer.doubt else Severity.WARNING
    text = f"{answer.text}{answer.doubt}"
    return of_word(name, word, text, world, "", severity, READING)


def _of_driver(word: Word, world: World) -> Diagnostic | None:
    """Return the diagnostic of a word that only a driver reads that is built in, where this one is
    a module or not built."""
    for fact in world.knowledge.facts("built-in-word"):
        if word.name in fact.names and world.evaluate(fact.only_if) is False:
            text = f"has an effect only if {said(fact.only_if)}; the kernel ignores the parameter"
            is_module = world.symbol(fact.of) == "m"
            rest = f"; if the driver is a module, write {fact.says} instead"
            remedy = f"remove the parameter{rest if is_module and fact.says else ''}"
            source = address(fact.sources)
            return of_word("parameter-not-built", word, text, world, remedy, source=source)
    return None


def of_other_kernels(name: str, world: World) -> bool:
    """Return whether only another version or machine reads the parameter, whatever was built:
    nobody means such a parameter."""
    parameter = world.knowledge.parameter(name)
    if parameter is None:
        from advisor.knowledge.existence import Standing, parameter_standing

        subject, catalogue = world.subject, world.knowledge.parameter_catalogue
        answer = parameter_standing(name, catalogue, subject.kernel, subject.machine.arch)
        return answer.standing is Standing.OTHER_ARCH
    if world.evaluate(parameter.only_if) is not False:
        return False
    lacking = condition.lacking(parameter.only_if, world)
    return all(atom[0] == "fact" for atom in condition.atoms(lacking))


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
    near = [name for name in near if not of_other_kernels(name, world)]
    if sysctl := _bare_sysctl(word, bool(near), world, findings):
        return sysctl
    module, dot, _ = word.name.partition(".")
    fate = "init gets the parameter, and the kernel does not read it"
    severity = Severity.NOTE
    if dot and catalogue.knows_module(module):
        fate = f"the module {module} has no such parameter"
        severity = Severity.WARNING
    elif dot:
        fate = (
            f"the parameter is for a module {module}, which has no such parameter in any kernel "
            "that was read"
        )
    elif carrier := vendor(subject):
        # Vendors who carry features into their kernels have words of their own for some of them.
        fate = (
            f"init gets the parameter, unless this kernel's vendor ({carrier}) added the parameter"
        )
    if flag := catalogue.flag_before(word.name):
        fate = (
            f"kernels that have the flag {flag} treat every parameter that begins with {flag} as "
            "this flag"
        )
    readers = "init, or a program that reads /proc/cmdline,"
    if fate.startswith("init") and vendor(subject):
        readers = f"the vendor's kernel, {readers}"
    remedy = f"keep the parameter only if {readers} needs it"
    if near and not dot and all("." in name for name in near):
        # Modules name their parameters by common words, and other programs do as well.
        remedy += f"; if the parameter is for a module, write {' or '.join(near)}"
        near = []
    if severity is Severity.WARNING:
        remedy = f"look up the parameter's name: modinfo -p {module}"
    if near:
        severity, remedy = Severity.ERROR, _meant(near, world)
    text = f"{read}; {fate}"
    return of_word("parameter-unknown", word, text, world, remedy, severity, READING)


def _meant(near: Iterable[str], world: World) -> str:
    """Return a remedy: the names that may be meant, or why the kernel would ignore these too."""
    rulings = {name: world.line.honours(name) for name in near}
    read_here = [name for name, ruling in rulings.items() if ruling.cause not in _DEAD]
    if read_here:
        return meant(read_here)
    return (
        "remove the parameter: "
        f"{'; '.join(f'{name} {one.reason}' for name, one in rulings.items())}"
    )


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
    text = f"{meant} is a sysctl, which the kernel does not read under its bare name"
    remedy = _remedy_of_sysctl(word, meant, world, findings)
    severity = Severity.ERROR if dot else Severity.WARNING
    return of_word("parameter-unknown", word, text, world, remedy, severity, READING)


def _remedy_of_sysctl(word: Word, name: str, world: World, findings: Iterable[Finding]) -> str:
    """Return how to set the sysctl `name` to the word's value: since 5.8 the kernel reads it with
    `sysctl.` before the name. Or, if the value would have no effect in this kernel, or a profile
    asks for another one, return to take the word out."""
    value = word.value or ""
    # Few lines have such a word: only these pay for decoding all rules.
    for tunable in world.knowledge.tunables():
        if name not in tunable.sysctls:
            continue
        if world.value(tunable.id) is None:
            return (
                "remove the parameter: this sysctl would do nothing in this kernel "
                f"({tunable.title})"
            )
        if _is_unwanted(tunable, name, value, world, findings):
            return (
                f"remove the parameter: its correct form, sysctl.{name}=, would "
                "contradict the profile"
            )
    if world.refuses(name, value):
        switched = {"on": "1", "yes": "1", "off": "0", "no": "0"}
        value = switched.get(value.lower(), "NUMBER")
    meant = f"sysctl.{name}={value}"
    if world.line.honours(meant).truth is True:
        return f"write {meant}"
    return "set the sysctl in a file of /etc/sysctl.d"


def _is_unwanted(
    tunable: Tunable, name: str, text: str, world: World, findings: Iterable[Finding]
) -> bool:
    """Return whether advice that applies asks for another value than the one of the text."""
    named = (one.name for one in tunable.values if dict(one.sysctl).get(name) == text)
    value = next(named, text)
    options = (
        option
        for finding in findings
        if finding.verdict not in ASIDE
        for option in finding.advice.options
        if option.tunable == tunable.id
    )
    tests = (satisfied_by(option, world) for option in options)
    return any(test is not None and not test(value) for test in tests)

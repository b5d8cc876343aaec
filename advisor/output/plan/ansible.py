"""A plan as an Ansible play: its files below /etc, and what reads them now.

A scalar in double quotes is JSON's, which YAML takes as it is; `!unsafe` keeps Jinja from reading
it. Modules are ansible-core's own, and each supports check mode (docs of ansible-core 2.17).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from json.encoder import encode_basestring_ascii as quoted

from advisor.model.numbers import whole_number
from advisor.model.plan import File
from advisor.model.report import Report
from advisor.output import PLAN_FORMATS, Style
from advisor.output.plan import filelines, files
from advisor.output.plan.comments import boot_words, by_hand, comment_lines, for_a_rebuild, heading
from advisor.output.plan.items import files as files_of

_FACTS = {
    "x86": ("x86_64", "i686", "i386"), "arm64": ("aarch64",), "arm": ("armv7l", "armv6l"),
    "riscv": ("riscv64",), "s390": ("s390x",), "powerpc": ("ppc64le", "ppc64"),
    "loongarch": ("loongarch64",),
}  # fmt: skip


def render(reports: Sequence[Report], style: Style) -> str:
    """Return the play of each report."""
    return files(reports, lambda report: _play(report, style))


def _scalar(text: str) -> str:
    """Return text as a scalar in double quotes, all of it ASCII."""
    return re.sub(r"\\(?:u(d[89ab]..)\\u(d[c-f]..)|.)", _without_pair, quoted(text))


def _without_pair(found: re.Match[str]) -> str:
    """Return an escape as YAML has it: JSON writes a sign beyond 16 bits as two halves."""
    if not found[1]:
        return found[0]
    halves = whole_number(found[1], 16) or 0, whole_number(found[2], 16) or 0
    high, low = halves[0] - 0xD800, halves[1] - 0xDC00
    return f"\\U{0x10000 + (high << 10) + low:08x}"


def _play(report: Report, style: Style) -> Iterator[str]:
    profiles = ", ".join(profile.id for profile in report.profiles)
    yield from heading("Ansible play", report)
    for text in _remarks(report):
        yield from comment_lines(text)
    yield from boot_words(report)
    paths = {file: report.plan.path(file) for file in files_of(report.plan)}
    used = {file: f"/{path}" for file, path in paths.items() if path.startswith("etc/")}
    handlers = [file for file in used if file in filelines.APPLY]
    yield "---"
    yield f"- name: {_scalar(f'Kernel settings: {profiles}')}"
    yield "  hosts: all"
    yield "  become: true"
    yield "  tasks:"
    yield from _same_machine(report)
    if used:
        yield from _folders(used.values())
    for file, path in used.items():
        yield from _copy(file, path, report, style)
    if handlers:
        yield "  handlers:"
        for file in handlers:
            for number, command in enumerate(filelines.APPLY[file].split(" && ")):
                yield f"    - name: {_scalar(f'Read {file.value} now ({number + 1})')}"
                yield f"      listen: {_scalar(file.value)}"
                yield f"      ansible.builtin.command: {_scalar(command)}"


def _remarks(report: Report) -> Iterator[str]:
    yield "ansible-playbook --check --diff shows what it would change, and changes nothing."
    plan = report.plan
    for verb, words in (("add", plan.words), ("remove", plan.dropped)):
        if words:
            yield f"The boot line is not in this play: {verb} {' '.join(words)}"
    yield from for_a_rebuild(plan)
    yield from by_hand(plan, "file")


def _same_machine(report: Report) -> Iterator[str]:
    """Yield the task that refuses another architecture or kernel release than the plan's."""
    machine = _FACTS.get(report.machine.arch or "", ())
    tests = []
    if report.release:
        tests.append(f"ansible_facts['kernel'] == {_scalar(report.release)}")
    if machine:
        tests.append(f"ansible_facts['architecture'] in [{', '.join(map(_scalar, machine))}]")
    if not tests:
        tests = ["ansible_facts['system'] == 'Linux'"]
    yield "    - name: Refuse a machine that the plan was not made for"
    yield "      ansible.builtin.assert:"
    yield "        fail_msg: make a plan for this machine"
    yield "        that:"
    yield from (f"          - {_scalar(test)}" for test in tests)


def _folders(paths: Iterable[str]) -> Iterator[str]:
    yield "    - name: Make the folders"
    yield "      ansible.builtin.file:"
    yield '        path: "{{ item }}"'
    yield "        state: directory"
    yield "      loop:"
    yield from (f"        - {_scalar(path.rpartition('/')[0])}" for path in paths)


def _copy(file: File, path: str, report: Report, style: Style) -> Iterable[str]:
    """Yield the task that puts a file of the plan into its place."""
    text = import_module(PLAN_FORMATS[file.value]).render([report], style)
    yield f"    - name: {_scalar(f'Write {path}')}"
    yield "      ansible.builtin.copy:"
    yield f"        dest: {_scalar(path)}"
    yield "        owner: root"
    yield "        group: root"
    yield '        mode: "0644"'
    yield "        backup: true"
    yield f"        content: !unsafe {_scalar(text)}"
    if file in filelines.APPLY:
        yield f"      notify: {_scalar(file.value)}"

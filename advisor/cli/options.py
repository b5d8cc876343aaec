"""Every option and argument of the commands, each once, and what a command makes of them.

A group is a record whose fields are options: type, what `--help` says, flags where the field's name
is not enough. A command names the options that it takes and gets a Request, in which those that it
does not take, or that the user left out, have their defaults:

    @command(CONFIGS, *MACHINE, *TREE.without("on"))
    def audit(request: Request) -> int: ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, TypeVar

import typer

from advisor.errors import UsageError
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.inputs.open import InputName

    # Of these settings may name files of the repository.
    Named = InputName | None
    ManyNamed = tuple[InputName, ...]

Text = Optional[str]  # noqa: UP045
Number = Optional[int]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045
Many = tuple[str, ...]
VENDORS = ("intel", "amd", "arm", "other")
HYPERVISORS = ("kvm", "xen", "hyperv", "vmware", "other")

# What Typer is to read for the type of a field, and what a field is where nothing was given.
_KINDS: dict[str, tuple[Any, Any]] = {
    "str": (str, ""), "bool": (bool, False), "Text": (Text, None), "Number": (Number, None),
    "Switch": (Switch, None), "Many": (list[str], ()), "Named": (Text, None),
    "ManyNamed": (list[str], ()),
}  # fmt: skip
_CONFIG = (
    "A .config, plain or compressed; a defconfig or fragment; "
    "a kernel image with IKCONFIG; REV:FILE of a git revision; - for stdin."
)
_SIDE = "A configuration, or a fragment of the other one; REV:PATH is a file of a git revision."


class Option(NamedTuple):
    """An option, or an argument if it has no flags, as a command takes it.

    `default` is the field's, of which Typer gets a list for a tuple; `more` is for Typer.
    """

    flags: tuple[str, ...] | None
    more: Mapping[str, Any]
    required: bool = False
    default: Any = None
    group: str = ""
    name: str = ""
    kind: Any = None

    @property
    def parameter(self) -> inspect.Parameter:
        """What Typer makes an option of."""
        default: Any = list(self.default) if isinstance(self.default, tuple) else self.default
        default = ... if self.required else default
        make = typer.Argument if self.flags is None else typer.Option
        info = make(default, *(self.flags or ()), **self.more)
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=info, annotation=self.kind)

    def but(self, **other: Any) -> Option:
        """The same with another help, default or kind, or required."""
        own = {key: other.pop(key) for key in ("required", "default", "kind") if key in other}
        return self._replace(more={**self.more, **other}, **own)


class Group:
    """The options of a record, in its order, each by its name."""

    def __init__(self, options: Mapping[str, Option]) -> None:
        self._options = options

    def __iter__(self) -> Iterator[Option]:
        return iter(self._options.values())

    def __getattr__(self, name: str) -> Option:
        if name not in self._options:
            raise AttributeError(f"there is no option {name}")
        return self._options[name]

    def without(self, *names: str) -> list[Option]:
        """All but these. Raises KeyError for one that it does not have."""
        out = [self._options[name] for name in names]
        return [option for option in self if option not in out]


GROUPS: dict[str, Group] = {}
"""By the names of their fields in a Request."""
Record = TypeVar("Record", bound=type)


def _group(name: str) -> Callable[[Record], Record]:
    """Makes a group of a record, whose fields get the defaults of their types."""

    def add(record: Any) -> Any:
        options = {}
        for field, kind in record.__annotations__.items():
            option = record._field_defaults[field]
            annotation, empty = _KINDS[kind]
            default = empty if option.default is None else option.default
            flags = option.flags
            if flags == ():
                flags = (f"--{field.replace('_', '-')}",)
            options[field] = Option(
                flags, option.more, option.required, default, name, field, annotation
            )
        defaults = {field: option.default for field, option in options.items()}
        record._field_defaults = defaults
        GROUPS[name] = Group(options)
        return record

    return add


def _option(text: str, *flags: str, default: Any = None, **more: Any) -> Any:
    """An option with that help. Without flags it is called like its field."""
    return Option(flags, {"help": text, **more}, default=default)


def _argument(text: str, metavar: str | None = None, *, required: bool = False, **more: Any) -> Any:
    """What stands on the line without a name; `required` has no default."""
    return Option(None, {"help": text or None, "metavar": metavar, **more}, required)


@_group("subject")
class SubjectOptions(NamedTuple):
    """What is judged: configurations, and what they do not hold."""

    configs: Many = _argument(_CONFIG, "CONFIG", required=True)
    cmdline: Named = _option("The boot line, or @FILE (@/proc/cmdline).")
    sysctl: Named = _option("Run-time settings: output of sysctl -a, or a sysctl.d file.")
    runtime: Named = _option("What runs: sysctls and files of /sys, lines PATH = VALUE.")
    kernel: Text = _option("Kernel version, where the configuration does not tell.")
    whole: Switch = _option(
        "What no line names is off, or unknown, whatever the file looks like.", "--whole/--partial"
    )
    merge: bool = _option("All CONFIG are one, merged in their order.")
    hosts: Many = _option("A host's files: /, a folder or an archive; may be repeated.", "--host")


@_group("machine")
class MachineOptions(NamedTuple):
    """The machine that it is judged for; None where nothing is known."""

    arch: Text = _option("Architecture, where the configuration does not tell.")
    cpus: Number = _option("How many CPUs the machine has.", min=1)
    isolate: Text = _option("CPUs to keep for chosen tasks: 2-15. Needs --cpus.")
    nodes: Number = _option("How many NUMA nodes.", min=1)
    memory: Text = _option("How much memory: 32G.")
    vendor: Text = _option("CPU vendor: intel, amd, arm, other.")
    guest: Switch = _option("A virtual machine, or not.", "--guest/--bare-metal")
    hypervisor: Text = _option("What it runs under: kvm, xen, hyperv, vmware, other.")
    efi: Switch = _option("Booted by EFI firmware, or not.", "--efi/--no-efi")
    this_machine: bool = _option("Take the machine's facts from the running system.")


@_group("knowledge")
class KnowledgeOptions(NamedTuple):
    """The profiles that are asked for, and where rules and profiles are read from."""

    profile: Many = _option("A workload profile; may be repeated.", "--profile", "-p")
    rules: ManyNamed = _option("A directory of further rules; may be repeated.")
    profiles: ManyNamed = _option("A directory of further profiles.")
    prefer: str = _option("The profile that wins where profiles disagree.")


@_group("tree")
class TreeOptions(NamedTuple):
    """The kernel tree that is asked, and how."""

    tree: Text = _option("A kernel tree to evaluate; nothing of it is run.")
    on: Text = _option("The configuration that the tree is evaluated for.", "--on", "--config")
    run_toolchain: bool = _option("Run the tree's own questions to the compiler (trust it).")
    allow_root: Many = _option("A folder that links of the tree may lead into; may be repeated.")
    allow: Many = _option("A symbol that may go for the sake of others; may be repeated.")
    no_cache: bool = _option("Ask the tree anew, and keep none of its answers.")
    prove: str = _option("kbuild: run the tree's own merge_config.sh and conf (trust it).")


@_group("output")
class OutputOptions(NamedTuple):
    """In which formats, and where to."""

    format: str = _option("text, json, markdown or html.", "--format", "-f", default="text")
    write: Many = _option("FORMAT=FILE, in addition; may be repeated.")
    output: Text = _option("Write to this file instead of stdout.", "--output", "-o")
    verbose: bool = _option("List what is folded.", "--verbose", "-v")
    all: bool = _option("List every side effect, not the first of each kind.")


@_group("policy")
class PolicyOptions(NamedTuple):
    """Which advice is followed, which findings count, and what settings add to the options."""

    strength: str = _option(
        "The weakest advice to follow: must, should (default), could.", show_default=False
    )
    keep: Many = _option("A symbol that shall stay as it is; may be repeated.")
    fail_on: str = _option("What makes the exit code 1; default: must,error.", show_default=False)
    baseline: Named = _option("What was so before: its findings are not told anew.")
    settings: Named = _option("Instead of the nearest kernel-advisor.toml.")
    no_settings: bool = _option("Read no kernel-advisor.toml.")


@_group("line")
class LineOptions(NamedTuple):
    """What becomes of the boot line that was given."""

    keep_words: bool = _option("Take no word away because nothing comes of it.")


@_group("costs")
class CostOptions(NamedTuple):
    """What is told besides of what the lab measured."""

    costs: bool = _option("Tell what was measured of all that is on, as costs does.")


@_group("depth")
class DepthOptions(NamedTuple):
    """How much is told of each finding."""

    brief: bool = _option("As text a line for each finding, and the sum.")


@_group("compare")
class CompareOptions(NamedTuple):
    """The two sides of `diff`, and their boot lines where they differ."""

    old: str = _argument(_SIDE, "OLD", required=True)
    new: str = _argument(_SIDE, "NEW", required=True)
    base: Text = _option("The configuration that fragments are merged onto.")
    old_cmdline: Text = _option("The boot line of OLD, where it was another.")
    new_cmdline: Text = _option("That of NEW.")


@_group("upgrade")
class UpgradeOptions(NamedTuple):
    """What `upgrade` writes besides."""

    carry_over: Text = _option("Write what is lost and can be had again to this file: a fragment.")
    old_tree: Text = _option("The old kernel's tree: its sources tell the devices of lost drivers.")


@_group("review")
class ReviewOptions(NamedTuple):
    """The revisions of `review` (an empty `head` is the work tree), and which files count."""

    base: str = _argument("A revision.", "BASE", required=True)
    head: str = _argument("One; or the work tree.", "[HEAD]")
    base_config: Named = _option("What fragments and boot lines are judged on.")
    boot_lines: Many = _option("Names of boot line files, in addition.")
    include: Many = _option("Look at these files only.")
    exclude: Many = _option("Leave these files out.")
    exact: bool = _option("Compare with BASE, not with where HEAD left it.")
    marker: str = _option("Tells several comments on one change apart.")
    must_judge: Many = _option("Files that are configurations, whatever they look like.")
    accept_policy: Many = _option("The digest of a change of policy that shall count.")
    trust_head: bool = _option("Judge by the change's own settings, not by BASE's.")


@_group("names")
class NameOptions(NamedTuple):
    """What `explain`, `profiles` and `rules` are asked about."""

    name: str = _argument(
        "A symbol, boot parameter, tunable, or any name of the field.", required=True
    )
    action: str = _argument("", "[show|new]")
    id: str = _argument("", "[NAME]")
    sources: bool = _option("What its authorities ask for, and what it says to that.")


@_group("check")
class CheckOptions(NamedTuple):
    """What `check` looks at."""

    fragments: Many = _argument("Anyone's.", "FRAGMENT...", required=True)
    fix: bool = _option("Write the fragment, repaired, instead of the report.")


@_group("lint")
class LintOptions(NamedTuple):
    """What `lint` looks at: folders of rules and profiles, or what it learns from."""

    directories: Many = _argument("", "[DIR]...")
    learn: bool = _option("DIR are kernel trees: add them to the catalogue.")
    practice: str = _option("DIR are configurations, read then (2026-11): count.")
    trees: Many = _option("A kernel tree to hold the rules against; repeats.", "--tree")
    arches: Many = _option("Its architectures, if not x86 and arm64; repeats.", "--arch")


@_group("completion")
class CompletionOptions(NamedTuple):
    """A shell, or the line up to the cursor that a shell asks about."""

    shell: str = _argument("bash, zsh or fish.", "SHELL", required=True)
    line: Text = _option("", hidden=True)


@_group("collect")
class CollectOptions(NamedTuple):
    """What `collect` writes instead of a snapshot."""

    script: bool = _option("Print the shell script that takes one where this is not installed.")


class Request(NamedTuple):
    """What a command is asked, by groups."""

    subject: SubjectOptions = SubjectOptions()
    machine: MachineOptions = MachineOptions()
    knowledge: KnowledgeOptions = KnowledgeOptions()
    tree: TreeOptions = TreeOptions()
    output: OutputOptions = OutputOptions()
    policy: PolicyOptions = PolicyOptions()
    line: LineOptions = LineOptions()
    costs: CostOptions = CostOptions()
    depth: DepthOptions = DepthOptions()
    compare: CompareOptions = CompareOptions()
    upgrade: UpgradeOptions = UpgradeOptions()
    review: ReviewOptions = ReviewOptions()
    names: NameOptions = NameOptions()
    check: CheckOptions = CheckOptions()
    lint: LintOptions = LintOptions()
    completion: CompletionOptions = CompletionOptions()
    collect: CollectOptions = CollectOptions()


SUBJECT, MACHINE, KNOWLEDGE = GROUPS["subject"], GROUPS["machine"], GROUPS["knowledge"]
TREE, OUTPUT, POLICY = GROUPS["tree"], GROUPS["output"], GROUPS["policy"]
LINE, COSTS, DEPTH = GROUPS["line"], GROUPS["costs"], GROUPS["depth"]
COMPARE, REVIEW, NAMES = GROUPS["compare"], GROUPS["review"], GROUPS["names"]
UPGRADE = GROUPS["upgrade"]
CHECK, LINT, COMPLETION = GROUPS["check"], GROUPS["lint"], GROUPS["completion"]
COLLECT = GROUPS["collect"]
CONFIGS, PROFILE = SUBJECT.configs, KNOWLEDGE.profile
CONFIG = CONFIGS.but(kind=str)
CONFIGS_OR_HOSTS = CONFIGS.but(required=False, help=f"{_CONFIG} None: this machine.")
JUDGED = Group(
    {
        option.name: option
        for options in (
            SUBJECT.without("configs", "merge", "hosts"),
            MACHINE,
            KNOWLEDGE,
            TREE.without("on", "prove"),
        )
        for option in options
    }
)
"""What every command takes that judges a kernel: all that may change a verdict."""
PROFILE_OR_ALL = PROFILE.but(help="A workload profile; may be repeated. None: all of them.")


class Combination(NamedTuple):
    """An option that is of no use beside any of the others or, if `needed`, without them all."""

    option: str
    others: tuple[str, ...]
    needed: bool
    message: str
    hint: str
    where: str = ""


COMBINATIONS = (
    Combination(
        "hosts", ("cmdline", "sysctl", "runtime", "this_machine", "merge"), False,
        "is of no use with --cmdline, --sysctl, --runtime, --this-machine or --merge",
        "a host tells all of it; name its configuration as CONFIG to say otherwise",
    ),
    Combination(
        "settings", ("no_settings",), False, "is of no use with --no-settings",
        "leave one of them out",
    ),
    *(
        Combination(name, ("tree",), True, "needs --tree", "name the kernel tree")
        for name in ("run_toolchain", "prove", "on", "allow_root", "allow")
    ),
    Combination("arches", ("trees",), True, "is of use with --tree only", "add --tree TREE"),
    Combination(
        "output", ("learn", "practice"), True, "is of no use alone", "say --learn or --practice",
        "lint --output",
    ),
)  # fmt: skip
"""Of options that a command does not take nothing is asked."""


def refuse(taken: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Raises UsageError for a value that is of no use beside the others, or without them."""
    for rule in COMBINATIONS:
        if not values.get(rule.option) or taken.keys().isdisjoint(rule.others):
            continue
        if any(values.get(name) for name in rule.others) != rule.needed:
            where = rule.where or (taken[rule.option].flags or "")[0]
            raise UsageError(rule.message, where=where, hint=rule.hint)


def request_of(taken: Mapping[str, Option], values: Mapping[str, Any]) -> Request:
    """The request of a command that takes these options, from their values by name."""
    groups: dict[str, dict[str, Any]] = {}
    for name, option in taken.items():
        value = values[name]
        if option.default == ():
            value = (value,) if isinstance(value, str) else tuple(value)
        groups.setdefault(option.group, {})[name] = value
    empty = Request()
    return Request(**{group: getattr(empty, group)._replace(**groups[group]) for group in groups})


Run = Callable[[Request], int]


def command(*options: Option) -> Callable[[Run], Callable[..., None]]:
    """A command that takes these options; one that is named twice is as it is named first.

    The function gets the request and returns the exit code; its docstring is the command's help.
    """
    taken: dict[str, Option] = {}
    for option in options:
        taken.setdefault(option.name, option)

    def described(run: Run) -> Callable[..., None]:
        def enter(**values: Any) -> None:
            refuse(taken, values)
            raise typer.Exit(run(request_of(taken, values)))

        parameters = [option.parameter for option in taken.values()]
        vars(enter)["__signature__"] = inspect.Signature(parameters)
        enter.__doc__ = run.__doc__
        return enter

    return described

"""Every option and argument of the commands, each once, and what a command makes of them.

A group is a record whose fields are options: type, what `--help` says, flags where the field's name
is not enough. A command names the options that it takes and gets a Request, in which those that it
does not take, or that the user left out, have their defaults:

    @command(CONFIGS, *MACHINE, *TREE.without("on"))
    def audit(request: Request) -> int: ...
"""

from __future__ import annotations

import inspect
import sys
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
    "A .config, defconfig, fragment, kernel image with IKCONFIG, REV:FILE of git, or - for stdin."
)


class Option(NamedTuple):
    """An option, or an argument if it has no flags, as a command takes it.

    `default` is the field's; `more` is for Typer. `rare` options are shown by --help-all only.
    """

    flags: tuple[str, ...] | None
    more: Mapping[str, Any]
    required: bool = False
    default: Any = None
    group: str = ""
    name: str = ""
    kind: Any = None
    rare: bool = False

    @property
    def parameter(self) -> inspect.Parameter:
        """What Typer makes an option of."""
        # Click before 8.2 takes no default for a list.
        default = ... if self.required else None if self.default == () else self.default
        make = typer.Argument if self.flags is None else typer.Option
        info = make(default, *(self.flags or ()), **self.more)
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=info, annotation=self.kind)

    def but(self, **other: Any) -> Option:
        """The same with another help, default or kind, or required, or rare."""
        names = ("required", "default", "kind", "rare")
        own = {key: other.pop(key) for key in names if key in other}
        return self._replace(more={**self.more, **other}, **own)


class Group:
    """The options of a record, in its order, each by its name; help shows them below `title`."""

    def __init__(self, options: Mapping[str, Option], title: str = "") -> None:
        self._options = options
        self.title = title

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


def _group(name: str, title: str) -> Callable[[Record], Record]:
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
                flags, option.more, option.required, default, name, field, annotation, option.rare
            )
        defaults = {field: option.default for field, option in options.items()}
        record._field_defaults = defaults
        GROUPS[name] = Group(options, title)
        return record

    return add


def _option(text: str, *flags: str, default: Any = None, rare: bool = False, **more: Any) -> Any:
    """An option with that help. Without flags it is called like its field."""
    return Option(flags, {"help": text, **more}, default=default, rare=rare)


def _valued(value: str, text: str, *flags: str, **more: Any) -> Any:
    """An option with a value, for which help shows this word."""
    return _option(text, *flags, metavar=value, **more)


def _argument(text: str, metavar: str | None = None, *, required: bool = False, **more: Any) -> Any:
    """What stands on the line without a name; `required` has no default."""
    return Option(None, {"help": text or None, "metavar": metavar, **more}, required)


@_group("subject", "Subject")
class SubjectOptions(NamedTuple):
    """What is judged: configurations, and what they do not hold."""

    configs: Many = _argument(_CONFIG, "CONFIG", required=True)
    cmdline: Named = _valued("LINE", "The boot line, as text or as @FILE (@/proc/cmdline).")
    sysctl: Named = _valued("FILE", "Output of sysctl -a, or a file of sysctl.d.", rare=True)
    runtime: Named = _valued(
        "FILE", "Sysctls and files of /sys with their values, as lines PATH = VALUE.", rare=True
    )
    kernel: Text = _valued("VERSION", "Kernel version, if CONFIG does not name it.", rare=True)
    whole: Switch = _option(
        "Treat symbols that the file does not name as off, or as unknown.",
        "--whole/--partial",
        rare=True,
    )
    merge: bool = _option("Merge all CONFIG, in their order, and judge the result.", rare=True)
    hosts: Many = _valued(
        "PATH", "Files of a host: /, a folder or an archive (repeatable).", "--host"
    )


@_group("machine", "Machine")
class MachineOptions(NamedTuple):
    """The machine that it is judged for; None where nothing is known."""

    arch: Text = _valued("NAME", "Architecture, if CONFIG does not name it.", rare=True)
    cpus: Number = _valued("N", "Number of CPUs.", min=1)
    isolate: Text = _valued(
        "LIST", "CPUs to keep free for chosen tasks, such as 2-15; needs --cpus.", rare=True
    )
    nodes: Number = _valued("N", "Number of NUMA nodes.", min=1, rare=True)
    memory: Text = _valued("SIZE", "Size of the memory, such as 32G.")
    shared_memory: Text = _valued(
        "SIZE", "Memory that a database shares, such as 32G, to compute its huge pages.", rare=True
    )
    vendor: Text = _valued("NAME", "Vendor of the CPU: intel, amd, arm or other.")
    guest: Switch = _option("Virtual machine, or real hardware.", "--guest/--bare-metal")
    hypervisor: Text = _valued(
        "NAME", "kvm, xen, hyperv, vmware or other; on bare metal only xen (Dom0).", rare=True
    )
    efi: Switch = _option("Firmware with EFI, or without.", "--efi/--no-efi", rare=True)
    this_machine: bool = _option("Read these facts from the running system.")


@_group("knowledge", "Profiles and rules")
class KnowledgeOptions(NamedTuple):
    """The profiles that are asked for, and where rules and profiles are read from."""

    profile: Many = _valued("ID", "Workload profile (repeatable).", "--profile", "-p")
    require: Many = _valued("NAME", "Program that has to run: NAME[@VERSION][:FUNCTION].")
    rules: ManyNamed = _valued("DIR", "Folder of your own rules (repeatable).", rare=True)
    profiles: ManyNamed = _valued("DIR", "Folder of your own profiles (repeatable).", rare=True)
    prefer: str = _valued("ID", "Profile that wins if profiles disagree.", rare=True)


@_group("tree", "Kernel tree")
class TreeOptions(NamedTuple):
    """The kernel tree that is asked, and how."""

    tree: Text = _valued("DIR", "Kernel source tree to evaluate; nothing in it is run.")
    on: Text = _valued("FILE", "Configuration to evaluate the tree for.", "--on", "--config")
    run_toolchain: bool = _option(
        "Run the compiler checks of the tree's Kconfig files; trust the tree first.", rare=True
    )
    allow_root: Many = _valued(
        "DIR",
        "Folder outside the tree that links of the tree may lead into (repeatable).",
        rare=True,
    )
    allow: Many = _valued(
        "SYMBOL",
        "Symbol that a plan may switch off to satisfy another symbol (repeatable).",
        rare=True,
    )
    no_cache: bool = _option("Do not read or write the cache of this tree.", rare=True)
    prove: str = _valued(
        "kbuild", "Also run the tree's merge_config.sh and conf; trust the tree first.", rare=True
    )


@_group("policy", "Findings")
class PolicyOptions(NamedTuple):
    """Which advice is followed, which findings count, and what settings add to the options."""

    strength: str = _valued(
        "WORD", "Weakest advice to follow: must, should (default) or could.", show_default=False
    )
    keep: Many = _valued("SYMBOL", "Symbol that must keep its value (repeatable).", rare=True)
    fail_on: str = _valued(
        "WORDS", "Findings that make the exit code 1 (default: must,error).", show_default=False
    )
    baseline: Named = _valued("FILE", "File of known findings, which are not reported again.")
    settings: Named = _valued(
        "FILE", "Settings, instead of the nearest kernel-advisor.toml.", rare=True
    )
    no_settings: bool = _option("Read no kernel-advisor.toml.", rare=True)


@_group("output", "Output")
class OutputOptions(NamedTuple):
    """In which formats, and where to."""

    format: str = _valued("NAME", "text, json, markdown or html.", "--format", "-f", default="text")
    write: Many = _valued("FORMAT=FILE", "Write this format to FILE as well (repeatable).")
    output: Text = _valued("FILE", "Write to FILE instead of stdout.", "--output", "-o")
    verbose: bool = _option("Also list what the report leaves out.", "--verbose", "-v")
    all: bool = _option("List every side effect, not only the first of each kind.", rare=True)


@_group("line", "Output")
class LineOptions(NamedTuple):
    """What becomes of the boot line that was given."""

    keep_words: bool = _option("Keep parameters that have no effect on this kernel.")


@_group("costs", "Output")
class CostOptions(NamedTuple):
    """What is told besides of what the lab measured."""

    costs: bool = _option("Show the measured costs of all enabled settings.", rare=True)


@_group("depth", "Output")
class DepthOptions(NamedTuple):
    """How much is told of each finding."""

    brief: bool = _option("Only the remedy of each finding, and the totals (text only).")


@_group("compare", "Subject")
class CompareOptions(NamedTuple):
    """The two sides of `diff`, and their boot lines where they differ."""

    old: str = _argument(
        "Old configuration, or a fragment for NEW; also REV:FILE of git.", "OLD", required=True
    )
    new: str = _argument("New configuration, or a fragment for OLD.", "NEW", required=True)
    base: Text = _valued("FILE", "Configuration to merge fragments onto.")
    old_cmdline: Text = _valued("LINE", "The boot line of OLD, if it differs.")
    new_cmdline: Text = _valued("LINE", "The boot line of NEW, if it differs.")


@_group("upgrade", "Result")
class UpgradeOptions(NamedTuple):
    """What `upgrade` writes besides."""

    carry_over: Text = _valued("FILE", "Write a fragment that restores lost settings to FILE.")
    old_tree: Text = _valued("DIR", "Tree of the old kernel, to name devices of lost drivers.")


@_group("review", "Change")
class ReviewOptions(NamedTuple):
    """The revisions of `review` (an empty `head` is the work tree), and which files count."""

    base: str = _argument("The git revision to compare with.", "BASE", required=True)
    head: str = _argument("The git revision to judge; default: the work tree.", "[HEAD]")
    base_config: Named = _valued("FILE", "Configuration to judge fragments and boot lines on.")
    boot_lines: Many = _valued("NAME", "Name of a further boot line file (repeatable).", rare=True)
    include: Many = _valued("GLOB", "Judge these files only (repeatable).")
    exclude: Many = _valued("GLOB", "Skip these files (repeatable).")
    exact: bool = _option("Compare with BASE itself, not with the merge base.", rare=True)
    marker: str = _valued(
        "NAME", "Name of this comment, if a change gets several comments.", rare=True
    )
    must_judge: Many = _valued(
        "GLOB", "Files that are configurations, whatever they contain (repeatable).", rare=True
    )
    accept_policy: Many = _valued(
        "DIGEST", "Accept the change of policy with this digest (repeatable).", rare=True
    )
    trust_head: bool = _option("Use the settings of HEAD, not those of BASE.", rare=True)


@_group("names", "Output")
class NameOptions(NamedTuple):
    """What `explain`, `profiles` and `rules` are asked about."""

    words: Many = _argument(
        "A symbol, boot parameter, tunable, an old name, or a symptom; then CONFIG.",
        "NAME [CONFIG]", required=True,
    )  # fmt: skip
    action: str = _argument("", "[show|new]")
    id: str = _argument("", "[NAME]")
    area: str = _valued("NAME", "The folder for a new rule: mm, net, ...")
    sources: bool = _option("Show what the profile's sources ask for, and its answer to each.")


@_group("can", "Subject")
class CanOptions(NamedTuple):
    """What `can` is asked about: names of programs, with a configuration behind them."""

    words: Many = _argument(
        "Programs as NAME, NAME@VERSION or NAME:FUNCTION, then CONFIG.", "[NAME]... [CONFIG]"
    )
    list: bool = _option("List the programs that are known.")


@_group("lines", "Subject")
class PolicyLineOptions(NamedTuple):
    """What `policy` is to do, and with which files."""

    words: Many = _argument(
        "import FORMAT FILE|FOLDER..., export [CONFIG], or list (default). Formats: fragment, "
        "annotations, ark, android, kspp, kmeta.",
        "[import|export|list] ...",
    )


@_group("check", "Result")
class CheckOptions(NamedTuple):
    """What `check` looks at."""

    fragments: Many = _argument("The fragments to check.", "FRAGMENT...", required=True)
    fix: bool = _option("Write the repaired fragment instead of the report.")


@_group("lint", "What is checked")
class LintOptions(NamedTuple):
    """What `lint` looks at: folders of rules and profiles, or what it learns from."""

    directories: Many = _argument(
        "Folders of rules and profiles, or files; default: the built-in.", "[DIR|FILE]..."
    )
    learn: bool = _option("DIR is a folder of kernel trees: add their names to the catalogue.")
    practice: str = _valued(
        "YYYY-MM", "DIR are configurations of that month: count what they enable."
    )
    trees: Many = _valued("DIR", "Kernel tree to check the rules against (repeatable).", "--tree")
    arches: Many = _valued(
        "NAME", "Architecture of the tree (default: x86, arm64) (repeatable).", "--arch"
    )


@_group("planning", "Plan")
class PlanningOptions(NamedTuple):
    """Which changes a plan has, and the folder for its files."""

    effort: str = _valued(
        "WORD", "Largest effort of a change: now, boot or rebuild (default).", default="rebuild",
        show_default=False,
    )  # fmt: skip
    only: Many = _valued("ID", "Only this finding or tunable (repeatable).", rare=True)
    without: Many = _valued(
        "ID", "Not this finding or tunable (repeatable).", "--except", rare=True
    )
    into: Text = _valued("DIR", "Write all files of the plan into this folder.")


@_group("completion", "")
class CompletionOptions(NamedTuple):
    """A shell, or the line up to the cursor that a shell asks about."""

    shell: str = _argument("bash, zsh or fish.", "SHELL", required=True)
    line: Text = _option("", hidden=True)


@_group("collect", "Subject")
class CollectOptions(NamedTuple):
    """What `collect` writes instead of a snapshot."""

    script: bool = _option("Print a shell script that does the same without kernel-advisor.")


@_group("verify", "Plan")
class VerifyOptions(NamedTuple):
    """Which plan is held against a host, and how."""

    plan: str = _argument(
        "The folder that plan --into wrote, or its plan.json.", "PLAN", required=True
    )
    anyway: bool = _option("Verify on another machine than the plan's.")
    quiet: bool = _option("One line, for a journal.")


@_group("like", "Tuning")
class LikeOptions(NamedTuple):
    """The tuning that is tried, and the kernel that it is tried on."""

    tuning: str = _argument(
        "A profile of TuneD, a note of saptune, by name or file; a file of sysctl.d, tmpfiles.d "
        "or kargs.d; or words of a boot line.", "TUNING", required=True,
    )  # fmt: skip
    config: Text = _argument(f"{_CONFIG} Default: this machine.", "[CONFIG]")


class Request(NamedTuple):
    """What a command is asked, by groups; `scopes` are the patterns of the settings' policies that
    fit what is judged (Settings.scopes)."""

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
    can: CanOptions = CanOptions()
    lines: PolicyLineOptions = PolicyLineOptions()
    check: CheckOptions = CheckOptions()
    lint: LintOptions = LintOptions()
    completion: CompletionOptions = CompletionOptions()
    collect: CollectOptions = CollectOptions()
    planning: PlanningOptions = PlanningOptions()
    verify: VerifyOptions = VerifyOptions()
    like: LikeOptions = LikeOptions()
    scopes: frozenset[str] = frozenset()


SUBJECT, MACHINE, KNOWLEDGE = GROUPS["subject"], GROUPS["machine"], GROUPS["knowledge"]
TREE, OUTPUT, POLICY = GROUPS["tree"], GROUPS["output"], GROUPS["policy"]
LINE, COSTS, DEPTH = GROUPS["line"], GROUPS["costs"], GROUPS["depth"]
COMPARE, REVIEW, NAMES = GROUPS["compare"], GROUPS["review"], GROUPS["names"]
UPGRADE = GROUPS["upgrade"]
CAN, POLICY_LINES = GROUPS["can"], GROUPS["lines"]
CHECK, LINT, COMPLETION = GROUPS["check"], GROUPS["lint"], GROUPS["completion"]
COLLECT, PLANNING, VERIFY = GROUPS["collect"], GROUPS["planning"], GROUPS["verify"]
LIKE = GROUPS["like"]
CONFIGS, PROFILE = SUBJECT.configs, KNOWLEDGE.profile
CONFIG = CONFIGS.but(kind=str)
CONFIGS_OR_HOSTS = CONFIGS.but(required=False, help=f"{_CONFIG} Default: this machine.")
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
PROFILE_OR_ALL = PROFILE.but(help="Workload profile (repeatable); default: all.")


def _show_all(context: typer.Context, wanted: bool) -> None:
    """Prints the help with all options, and ends the run."""
    if wanted:
        context.meta[ALL] = True
        typer.echo(context.get_help())
        raise typer.Exit(0)


ALL = "kernel-advisor.all"
"""Stands in the context where help is to show the rare options too."""
HELP_ALL = Option(
    ("--help-all",),
    {"help": "Show all options and exit.", "is_eager": True, "callback": _show_all},
    default=False,
    name="help_all",
    kind=bool,
)


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
        "cannot be combined with --cmdline, --sysctl, --runtime, --this-machine or --merge",
        "the host's files contain these inputs; to override them, give its configuration as "
        "CONFIG",
    ),
    Combination(
        "settings", ("no_settings",), False, "cannot be combined with --no-settings",
        "leave one of them out",
    ),
    *(
        Combination(name, ("tree",), True, "needs --tree", "name the kernel tree")
        for name in ("run_toolchain", "prove", "on", "allow_root", "allow")
    ),
    Combination("arches", ("trees",), True, "needs --tree", "add --tree TREE"),
    Combination(
        "output", ("learn", "practice"), True, "has no effect alone", "add --learn or --practice",
        "rules lint --output",
    ),
)  # fmt: skip
"""Of options that a command does not take nothing is asked."""


def refuse(taken: Mapping[str, Option], values: Mapping[str, Any]) -> None:
    """Raises UsageError for a value that is of no use beside the others, or without them, and for
    facts that are given twice."""
    for option in taken.values():
        if option.group in ("subject", "machine") and option.default != ():
            _refuse_twice(option.flags or ())
    for rule in COMBINATIONS:
        if not values.get(rule.option) or taken.keys().isdisjoint(rule.others):
            continue
        if any(values.get(name) for name in rule.others) != rule.needed:
            where = rule.where or (taken[rule.option].flags or "")[0]
            raise UsageError(rule.message, where=where, hint=rule.hint)


def _refuse_twice(flags: tuple[str, ...]) -> None:
    """Raises UsageError for a flag that stands twice, or beside its contrary."""
    names = [name for flag in flags for name in flag.split("/")]
    told = [word.partition("=")[0] for word in sys.argv[1:] if word.partition("=")[0] in names]
    if len(told) > 1:
        both = "is given twice" if told[0] == told[1] else f"contradicts {told[1]}"
        raise UsageError(both, where=told[0], hint="give one of them")


def request_of(taken: Mapping[str, Option], values: Mapping[str, Any]) -> Request:
    """The request of a command that takes these options, from their values by name."""
    groups: dict[str, dict[str, Any]] = {}
    for name, option in taken.items():
        value = values[name]
        if option.default == ():
            value = (value,) if isinstance(value, str) else tuple(value or ())
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
            request = request_of(taken, values)
            if request.subject.cmdline is not None:
                from advisor.cli.mistakes import refuse_words

                refuse_words(request.subject.configs, request.subject.cmdline)
            raise typer.Exit(run(request))

        parameters = [option.parameter for option in (*taken.values(), HELP_ALL)]
        vars(enter).update(__signature__=inspect.Signature(parameters), taken=taken)
        enter.__doc__ = run.__doc__
        return enter

    return described

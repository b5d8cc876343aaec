"""Every option and argument of the commands, each once, in groups (groups.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from advisor.cli.groups import (
    GROUPS,
    Group,
    Many,
    Number,
    Switch,
    Text,
    argument,
    group,
    option,
    valued,
)
from advisor.record import NamedTuple

if TYPE_CHECKING:
    from advisor.inputs.open import InputName

    # Of these settings may name files of the repository.
    Named = InputName | None
    ManyNamed = tuple[InputName, ...]

VENDORS = ("intel", "amd", "arm", "other")
HYPERVISORS = ("kvm", "xen", "hyperv", "vmware", "other")
_CONFIG = (
    "A .config, defconfig, fragment, kernel image with IKCONFIG, REV:FILE of git, or - for stdin."
)


@group("subject", "Subject")
class SubjectOptions(NamedTuple):
    """What is judged: configurations, and what they do not hold."""

    configs: Many = argument(_CONFIG, "CONFIG", required=True)
    cmdline: Named = valued("LINE", "The boot line, as text or as @FILE (@/proc/cmdline).")
    sysctl: Named = valued("FILE", "Output of sysctl -a, or a file of sysctl.d.", rare=True)
    runtime: Named = valued(
        "FILE", "Sysctls and files of /sys with their values, as lines PATH = VALUE.", rare=True
    )
    kernel: Text = valued("VERSION", "Kernel version, if CONFIG does not name it.", rare=True)
    whole: Switch = option(
        "Whether symbols that the file does not name are off or unknown.",
        "--whole/--partial",
        rare=True,
    )
    merge: bool = option("Merge all CONFIG, in their order, and judge the result.", rare=True)
    hosts: Many = valued(
        "PATH", "Files of a host: /, a folder or an archive (repeatable).", "--host"
    )


@group("machine", "Machine")
class MachineOptions(NamedTuple):
    """The machine that it is judged for; None where nothing is known."""

    arch: Text = valued("NAME", "Architecture, if CONFIG does not name it.", rare=True)
    cpus: Number = valued("N", "Number of CPUs.", min=1)
    isolate: Text = valued(
        "LIST",
        "List of CPUs (such as 2-15) to keep free for chosen tasks; needs --cpus.",
        rare=True,
    )
    nodes: Number = valued("N", "Number of NUMA nodes.", min=1, rare=True)
    memory: Text = valued("SIZE", "Size of the memory, such as 32G.")
    shared_memory: Text = valued(
        "SIZE", "Size of a database's shared memory, such as 32G, to compute huge pages.", rare=True
    )
    vendor: Text = valued("NAME", "Vendor of the CPU: intel, amd, arm or other.")
    guest: Switch = option("Virtual machine, or real hardware.", "--guest/--bare-metal")
    hypervisor: Text = valued(
        "NAME", "kvm, xen, hyperv, vmware or other; on bare metal only xen (Dom0).", rare=True
    )
    efi: Switch = option("Firmware with EFI, or without.", "--efi/--no-efi", rare=True)
    this_machine: bool = option("Read these facts from the running system.")


@group("knowledge", "Profiles and rules")
class KnowledgeOptions(NamedTuple):
    """The profiles that are asked for, and where rules and profiles are read from."""

    profile: Many = valued("ID", "Workload profile (repeatable).", "--profile", "-p")
    require: Many = valued("NAME", "Program that has to run: NAME[@VERSION][:FUNCTION].")
    rules: ManyNamed = valued("DIR", "Folder of your own rules (repeatable).", rare=True)
    profiles: ManyNamed = valued("DIR", "Folder of your own profiles (repeatable).", rare=True)
    prefer: str = valued("ID", "Profile that wins if profiles disagree.", rare=True)


@group("tree", "Kernel tree")
class TreeOptions(NamedTuple):
    """The kernel tree that is asked, and how."""

    tree: Text = valued("DIR", "Kernel source tree to evaluate; nothing in it is run.")
    on: Text = valued("FILE", "Configuration for the evaluation of the tree.", "--on", "--config")
    run_toolchain: bool = option(
        "Run the compiler checks of the tree's Kconfig files; trust the tree first.", rare=True
    )
    allow_root: Many = valued(
        "DIR",
        "Folder outside the tree to which links in the tree may lead (repeatable).",
        rare=True,
    )
    allow: Many = valued(
        "SYMBOL",
        "Symbol that a plan may switch off to satisfy another symbol (repeatable).",
        rare=True,
    )
    no_cache: bool = option("Do not read or write the cache of this tree.", rare=True)
    prove: str = valued(
        "kbuild", "Also run the tree's merge_config.sh and conf; trust the tree first.", rare=True
    )


@group("policy", "Findings")
class PolicyOptions(NamedTuple):
    """Which advice is followed, which findings count, and what settings add to the options."""

    strength: str = valued(
        "WORD", "Weakest advice to follow: must, should (default) or could.", show_default=False
    )
    keep: Many = valued("SYMBOL", "Symbol that must keep its value (repeatable).", rare=True)
    fail_on: str = valued(
        "WORDS", "Findings that cause exit code 1 (default: must,error).", show_default=False
    )
    baseline: Named = valued("FILE", "File of known findings, which are not reported again.")
    settings: Named = valued(
        "FILE", "File of settings to use instead of the nearest kernel-advisor.toml.", rare=True
    )
    no_settings: bool = option("Read no kernel-advisor.toml.", rare=True)


@group("output", "Output")
class OutputOptions(NamedTuple):
    """In which formats, and where to."""

    format: str = valued("NAME", "text, json, markdown or html.", "--format", "-f", default="text")
    write: Many = valued("FORMAT=FILE", "Write this format to FILE as well (repeatable).")
    output: Text = valued("FILE", "Write to FILE instead of stdout.", "--output", "-o")
    verbose: bool = option("Also list what the report leaves out.", "--verbose", "-v")
    all: bool = option("List every side effect, not only the first of each kind.", rare=True)


@group("line", "Output")
class LineOptions(NamedTuple):
    """What becomes of the boot line that was given."""

    keep_words: bool = option("Keep parameters that have no effect on this kernel.")


@group("costs", "Output")
class CostOptions(NamedTuple):
    """What is told besides of what the lab measured."""

    costs: bool = option("Show the measured costs of all enabled settings.", rare=True)


@group("depth", "Output")
class DepthOptions(NamedTuple):
    """How much is told of each finding."""

    brief: bool = option("Show only the remedy of each finding and the totals (text only).")


@group("compare", "Subject")
class CompareOptions(NamedTuple):
    """The two sides of `diff`, and their boot lines where they differ."""

    old: str = argument(
        "Old configuration, or a fragment to merge onto NEW; also REV:FILE of git.",
        "OLD",
        required=True,
    )
    new: str = argument("New configuration, or a fragment to merge onto OLD.", "NEW", required=True)
    base: Text = valued("FILE", "Configuration to merge fragments onto.")
    old_cmdline: Text = valued("LINE", "The boot line of OLD, if it differs.")
    new_cmdline: Text = valued("LINE", "The boot line of NEW, if it differs.")


@group("upgrade", "Result")
class UpgradeOptions(NamedTuple):
    """What `upgrade` writes besides."""

    carry_over: Text = valued("FILE", "Write a fragment that restores lost settings to FILE.")
    old_tree: Text = valued("DIR", "Tree of the old kernel, to name devices of lost drivers.")


@group("review", "Change")
class ReviewOptions(NamedTuple):
    """The revisions of `review` (an empty `head` is the work tree), and which files count."""

    base: str = argument("The git revision to compare with.", "BASE", required=True)
    head: str = argument("The git revision to judge; default: the work tree.", "[HEAD]")
    base_config: Named = valued("FILE", "Base configuration for judging fragments and boot lines.")
    boot_lines: Many = valued(
        "NAME", "Name of another file that contains a boot line (repeatable).", rare=True
    )
    include: Many = valued("GLOB", "Judge these files only (repeatable).")
    exclude: Many = valued("GLOB", "Skip these files (repeatable).")
    exact: bool = option("Compare with BASE itself, not with the merge base.", rare=True)
    marker: str = valued(
        "NAME", "Name of this comment, if a change gets several comments.", rare=True
    )
    must_judge: Many = valued(
        "GLOB", "Files to treat as configurations, whatever they contain (repeatable).", rare=True
    )
    accept_policy: Many = valued(
        "DIGEST", "Accept the policy change that has this digest (repeatable).", rare=True
    )
    trust_head: bool = option("Use the settings of HEAD, not those of BASE.", rare=True)


@group("names", "Output")
class NameOptions(NamedTuple):
    """What `explain`, `profiles` and `rules` are asked about."""

    words: Many = argument(
        "A symbol, boot parameter, tunable, an old name, or a symptom; then CONFIG.",
        "NAME [CONFIG]", required=True,
    )  # fmt: skip
    action: str = argument("", "[show|new]")
    id: str = argument("", "[NAME]")
    area: str = valued("NAME", "The folder for a new rule: mm, net, ...")
    sources: bool = option("Show what the profile's sources recommend, and what the profile does.")


@group("can", "Subject")
class CanOptions(NamedTuple):
    """What `can` is asked about: names of programs, with a configuration behind them."""

    words: Many = argument(
        "Programs as NAME, NAME@VERSION or NAME:FUNCTION, then CONFIG.", "[NAME]... [CONFIG]"
    )
    list: bool = option("List the known programs.")


@group("lines", "Subject")
class PolicyLineOptions(NamedTuple):
    """What `policy` is to do, and with which files."""

    words: Many = argument(
        "import FORMAT FILE|FOLDER..., export [CONFIG], or list (default). Formats: fragment, "
        "annotations, ark, android, kspp, kmeta.",
        "[import|export|list] ...",
    )


@group("check", "Result")
class CheckOptions(NamedTuple):
    """What `check` looks at."""

    fragments: Many = argument("The fragments to check.", "FRAGMENT...", required=True)
    fix: bool = option("Write the repaired fragment instead of the report.")


@group("lint", "What is checked")
class LintOptions(NamedTuple):
    """What `lint` looks at: folders of rules and profiles, or what it learns from."""

    directories: Many = argument(
        "Folders or files of rules and profiles; default: the built-in ones.", "[DIR|FILE]..."
    )
    learn: bool = option("Add to the catalogue the names from the kernel trees in DIR.")
    practice: str = valued(
        "YYYY-MM",
        "Count the options that the configurations in DIR enable; YYYY-MM is their month.",
    )
    trees: Many = valued("DIR", "Kernel tree to check the rules against (repeatable).", "--tree")
    arches: Many = valued(
        "NAME", "Architecture of the tree (default: x86, arm64) (repeatable).", "--arch"
    )


@group("planning", "Plan")
class PlanningOptions(NamedTuple):
    """Which changes a plan has, and the folder for its files."""

    effort: str = valued(
        "WORD", "Largest effort of a change: now, boot or rebuild (default).", default="rebuild",
        show_default=False,
    )  # fmt: skip
    only: Many = valued("ID", "Plan only this finding or tunable (repeatable).", rare=True)
    without: Many = valued(
        "ID", "Leave this finding or tunable out of the plan (repeatable).", "--except", rare=True
    )
    into: Text = valued("DIR", "Write all files of the plan into this folder.")


@group("completion", "")
class CompletionOptions(NamedTuple):
    """A shell, or the line up to the cursor that a shell asks about."""

    shell: str = argument("bash, zsh or fish.", "SHELL", required=True)
    line: Text = option("", hidden=True)


@group("collect", "Subject")
class CollectOptions(NamedTuple):
    """What `collect` writes instead of a snapshot."""

    script: bool = option("Print a shell script that writes a snapshot without kernel-advisor.")


@group("verify", "Plan")
class VerifyOptions(NamedTuple):
    """Which plan is held against a host, and how."""

    plan: str = argument(
        "The folder that plan --into wrote, or its plan.json.", "PLAN", required=True
    )
    anyway: bool = option("Verify even a plan that was made for another machine.")
    quiet: bool = option("Print one line, for a journal.")


@group("like", "Tuning")
class LikeOptions(NamedTuple):
    """The tuning that is tried, and the kernel that it is tried on."""

    tuning: str = argument(
        "The name or file of a TuneD profile or saptune note. TUNING can also be boot parameters, "
        "or a file of sysctl.d, tmpfiles.d or kargs.d.", "TUNING", required=True,
    )  # fmt: skip
    config: Text = argument(f"{_CONFIG} Default: this machine.", "[CONFIG]")


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

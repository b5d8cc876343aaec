"""The commands: options in, exit code out. What they decide is decided elsewhere."""

import os
import sys
from collections.abc import Callable
from io import TextIOWrapper
from typing import Annotated, Any, Optional

import typer

from advisor import __version__
from advisor.errors import AdvisorError, TreeError, UsageError
from advisor.request import CompareRequest, Request, TreeRequest
from advisor.run import (
    audit_command,
    baseline_command,
    bootline_command,
    check_command,
    complain,
    diff_command,
    explain_command,
    fragment_command,
    learn_command,
    lint_command,
    list_profiles,
    list_rules,
    practice_command,
    proof_by_kbuild,
    review_command,
    to_stdout,
    upgrade_command,
)

Text = Optional[str]  # noqa: UP045
Number = Optional[int]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045

_CONFIG = (
    "A .config, plain or compressed; a defconfig or fragment; "
    "a kernel image with IKCONFIG; REV:FILE of a git revision; - for stdin."
)
_SIDE = "A configuration, or a fragment of the other one; REV:PATH is a file of a git revision."
Configs = Annotated[list[str], typer.Argument(metavar="CONFIG", help=_CONFIG, show_default=False)]
Config = Annotated[str, typer.Argument(metavar="CONFIG", help=_CONFIG, show_default=False)]
Profiles = Annotated[
    list[str], typer.Option("--profile", "-p", help="A workload profile; may be repeated.")
]
DiffProfiles = Annotated[
    list[str],
    typer.Option("--profile", "-p", help="A workload profile; may be repeated. None: all of them."),
]
AuditProfiles = Annotated[
    list[str],
    typer.Option(
        "--profile", "-p", help="A workload profile; may be repeated. Not needed with --cmdline."
    ),
]
Cmdline = Annotated[
    Text, typer.Option("--cmdline", help="The boot line, or @FILE (@/proc/cmdline).")
]
Sysctl = Annotated[
    Text,
    typer.Option("--sysctl", help="Run-time settings: output of sysctl -a, or a sysctl.d file."),
]
Kernel = Annotated[
    Text, typer.Option("--kernel", help="Kernel version, where the configuration does not tell.")
]
Arch = Annotated[
    Text, typer.Option("--arch", help="Architecture, where the configuration does not tell.")
]
Cpus = Annotated[Number, typer.Option("--cpus", min=1, help="How many CPUs the machine has.")]
Isolate = Annotated[
    Text, typer.Option("--isolate", help="CPUs to keep for chosen tasks: 2-15. Needs --cpus.")
]
Nodes = Annotated[Number, typer.Option("--nodes", min=1, help="How many NUMA nodes.")]
Memory = Annotated[Text, typer.Option("--memory", help="How much memory: 32G.")]
Vendor = Annotated[Text, typer.Option("--vendor", help="CPU vendor: intel, amd, arm, other.")]
Guest = Annotated[Switch, typer.Option("--guest/--bare-metal", help="A virtual machine, or not.")]
Efi = Annotated[Switch, typer.Option("--efi/--no-efi", help="Booted by EFI firmware, or not.")]
Here = Annotated[
    bool, typer.Option("--this-machine", help="Take the machine's facts from the running system.")
]
Rules = Annotated[
    list[str], typer.Option("--rules", help="A directory of further rules; may be repeated.")
]
ProfileDirs = Annotated[
    list[str], typer.Option("--profiles", help="A directory of further profiles.")
]
Prefer = Annotated[
    str, typer.Option("--prefer", help="The profile that wins where profiles disagree.")
]
Weakest = Annotated[
    str,
    typer.Option(
        "--strength",
        help="The weakest advice to follow: must, should (default), could.",
        show_default=False,
    ),
]
FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on", help="What makes the exit code 1; default: must,error.", show_default=False
    ),
]
Baseline = Annotated[
    Text, typer.Option("--baseline", help="What was so before: its findings are not told anew.")
]
SettingsFile = Annotated[
    Text, typer.Option("--settings", help="Instead of the nearest kernel-advisor.toml.")
]
NoSettings = Annotated[bool, typer.Option("--no-settings", help="Read no kernel-advisor.toml.")]
TreeDir = Annotated[
    Text, typer.Option("--tree", help="A kernel tree to evaluate; nothing of it is run.")
]
OnConfig = Annotated[
    Text, typer.Option("--on", "--config", help="The configuration that the tree is evaluated for.")
]
RunToolchain = Annotated[
    bool,
    typer.Option(
        "--run-toolchain", help="Run the tree's own questions to the compiler (trust it)."
    ),
]
Keep = Annotated[
    list[str], typer.Option("--keep", help="A symbol that shall stay as it is; may be repeated.")
]
NoCache = Annotated[
    bool, typer.Option("--no-cache", help="Ask the tree anew, and keep none of its answers.")
]
Prove = Annotated[
    str,
    typer.Option("--prove", help="kbuild: run the tree's own merge_config.sh and conf (trust it)."),
]
AllEffects = Annotated[
    bool, typer.Option("--all", help="List every side effect, not the first of each kind.")
]
Write = Annotated[
    list[str], typer.Option("--write", help="FORMAT=FILE, in addition; may be repeated.")
]
DiffFormat = Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")]
OutputFile = Annotated[
    Text, typer.Option("--output", "-o", help="Write to this file instead of stdout.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        to_stdout(f"kernel-advisor {__version__}\n")
        raise typer.Exit(0)


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Its version.")
    ] = False,
) -> None:
    pass


def _request(options: dict[str, Any]) -> Request:
    return Request(**{key: value for key, value in options.items() if key in Request._fields})


def audit(
    configs: Configs,
    profile: AuditProfiles = [],  # noqa: B006  # Typer copies defaults
    cmdline: Cmdline = None,
    sysctl: Sysctl = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    prefer: Prefer = "",
    tree: TreeDir = None,
    keep: Keep = [],  # noqa: B006  # Typer copies defaults
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="text, json, markdown, html, fragment, sarif, github, gitlab or junit.",
        ),
    ] = "text",
    write: Write = [],  # noqa: B006  # Typer copies defaults
    output: OutputFile = None,
    fail_on: FailOn = "",
    baseline: Baseline = None,
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List what is folded, and sources.")
    ] = False,
) -> None:
    """What a kernel is set to do, and what should change."""
    _leave(audit_command(_request(locals())))


def review(
    base: Annotated[str, typer.Argument(metavar="BASE", show_default=False, help="A revision.")],
    head: Annotated[
        str, typer.Argument(metavar="[HEAD]", show_default=False, help="One; or the work tree.")
    ] = "",
    profile: DiffProfiles = [],  # noqa: B006  # Typer copies defaults
    base_config: Annotated[
        Text, typer.Option("--base-config", help="What fragments and boot lines are judged on.")
    ] = None,
    boot_lines: Annotated[
        list[str], typer.Option("--boot-lines", help="Names of boot line files, in addition.")
    ] = [],  # noqa: B006  # Typer copies defaults
    include: Annotated[list[str], typer.Option("--include", help="Look at these files only.")] = [],  # noqa: B006
    exclude: Annotated[list[str], typer.Option("--exclude", help="Leave these files out.")] = [],  # noqa: B006
    exact: Annotated[
        bool, typer.Option("--exact", help="Compare with BASE, not with where HEAD left it.")
    ] = False,
    marker: Annotated[
        str, typer.Option("--marker", help="Tells several comments on one change apart.")
    ] = "",
    cmdline: Cmdline = None,
    sysctl: Sysctl = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    prefer: Prefer = "",
    tree: TreeDir = None,
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    format: Annotated[str, typer.Option("--format", "-f", help="text, json or markdown.")] = "text",
    write: Write = [],  # noqa: B006  # Typer copies defaults
    output: OutputFile = None,
    fail_on: FailOn = "",
    baseline: Baseline = None,
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="List what is folded, and sources.")
    ] = False,
) -> None:
    """What changed between two git revisions, as one comment."""
    from advisor.inputs.changes import BOOT_LINES, Wanted
    from advisor.review import Asked

    wanted = Wanted(include, exclude, (*BOOT_LINES, *boot_lines))
    asked = Asked(base, head, exact, base_config, marker, wanted)
    _leave(review_command(_request({**locals(), "configs": []}), asked))


def fragment(
    config: Config,
    profile: Profiles = [],  # noqa: B006  # Typer copies defaults
    cmdline: Cmdline = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    prefer: Prefer = "",
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    strength: Weakest = "",
    tree: TreeDir = None,
    keep: Keep = [],  # noqa: B006  # Typer copies defaults
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    prove: Prove = "",
    all: AllEffects = False,
    output: OutputFile = None,
) -> None:
    """A merge_config.sh fragment: what a rebuild should change."""
    _leave(fragment_command(_request({**locals(), "configs": [config]})))


def cmdline(
    config: Config,
    profile: Profiles = [],  # noqa: B006  # Typer copies defaults
    cmdline: Cmdline = None,
    sysctl: Sysctl = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    prefer: Prefer = "",
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    strength: Weakest = "",
    format: Annotated[
        str,
        typer.Option(
            "--format",
            "-f",
            help="plain, grub, grubby, kernel-install, bootc, tuned or kconfig.",
        ),
    ] = "plain",
    write: Write = [],  # noqa: B006  # Typer copies defaults
    output: OutputFile = None,
) -> None:
    """The boot line that gives what needs no rebuild."""
    _leave(bootline_command(_request({**locals(), "configs": [config]})))


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_SIDE, show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help=_SIDE, show_default=False)],
    profile: DiffProfiles = [],  # noqa: B006  # Typer copies defaults
    base: Annotated[
        Text, typer.Option("--base", help="The configuration that fragments are merged onto.")
    ] = None,
    cmdline: Cmdline = None,
    old_cmdline: Annotated[
        Text, typer.Option("--old-cmdline", help="The boot line of OLD, where it was another.")
    ] = None,
    new_cmdline: Annotated[Text, typer.Option("--new-cmdline", help="That of NEW.")] = None,
    sysctl: Sysctl = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    tree: TreeDir = None,
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    format: DiffFormat = "text",
    write: Write = [],  # noqa: B006  # Typer copies defaults
    output: OutputFile = None,
    fail_on: FailOn = "",
    baseline: Baseline = None,
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List what is folded.")] = False,
) -> None:
    """What a change of configuration or boot line means."""
    told = locals()
    options = _request({**told, "configs": [old, new]})
    _leave(diff_command(CompareRequest(options, old, new, base, old_cmdline, new_cmdline)))


def upgrade(
    config: Config,
    tree: TreeDir = None,
    profile: DiffProfiles = [],  # noqa: B006  # Typer copies defaults
    cmdline: Cmdline = None,
    sysctl: Sysctl = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    format: DiffFormat = "text",
    write: Write = [],  # noqa: B006  # Typer copies defaults
    output: OutputFile = None,
    fail_on: FailOn = "",
    baseline: Baseline = None,
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List what is folded.")] = False,
) -> None:
    """What becomes of a configuration in a newer kernel's tree."""
    options = _request({**locals(), "configs": [config]})
    _leave(upgrade_command(CompareRequest(options, config, config)))


def baseline(
    configs: Configs,
    profile: AuditProfiles = [],  # noqa: B006  # Typer copies defaults
    cmdline: Cmdline = None,
    sysctl: Sysctl = None,
    kernel: Kernel = None,
    arch: Arch = None,
    cpus: Cpus = None,
    isolate: Isolate = None,
    nodes: Nodes = None,
    memory: Memory = None,
    vendor: Vendor = None,
    guest: Guest = None,
    efi: Efi = None,
    this_machine: Here = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    prefer: Prefer = "",
    tree: TreeDir = None,
    run_toolchain: RunToolchain = False,
    no_cache: NoCache = False,
    settings: SettingsFile = None,
    no_settings: NoSettings = False,
    output: OutputFile = None,
) -> None:
    """Today's findings, for --baseline: what comes later is new."""
    _leave(baseline_command(_request(locals())))


def explain(
    name: Annotated[
        str, typer.Argument(help="A symbol, boot parameter, tunable, or any name of the field.")
    ],
    tree: TreeDir = None,
    config: OnConfig = None,
    arch: Arch = None,
    run_toolchain: RunToolchain = False,
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
) -> None:
    """What a symbol, parameter or old name means today, and in a tree."""
    asked = TreeRequest(tree, config, arch, run_toolchain) if tree else None
    _leave(explain_command(name, rules, profiles, asked))


def check(
    fragments: Annotated[list[str], typer.Argument(metavar="FRAGMENT...", help="Anyone's.")],
    tree: Annotated[str, typer.Option("--tree", help="The kernel tree; nothing of it is run.")],
    on: OnConfig = None,
    arch: Arch = None,
    run_toolchain: RunToolchain = False,
    prove: Prove = "",
    format: Annotated[str, typer.Option("--format", "-f", help="text or json.")] = "text",
    output: OutputFile = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="List every line.")] = False,
) -> None:
    """Which lines of a fragment take effect in a tree, and why not."""
    asked = TreeRequest(tree, on, arch, run_toolchain, prove=proof_by_kbuild(prove))
    _leave(check_command(fragments, asked, format, output, verbose))


def profiles_command(
    action: Annotated[str, typer.Argument(metavar="[show]", show_default=False)] = "",
    name: Annotated[str, typer.Argument(metavar="[ID]", show_default=False)] = "",
    profiles: ProfileDirs = [],  # noqa: B006  # Typer copies defaults
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
) -> None:
    """The profiles, or one: what it wants, and why."""
    _leave(list_profiles(_shown(action, name, "profiles"), rules, profiles))


def rules_command(
    action: Annotated[str, typer.Argument(metavar="[show]", show_default=False)] = "",
    name: Annotated[str, typer.Argument(metavar="[ID]", show_default=False)] = "",
    rules: Rules = [],  # noqa: B006  # Typer copies defaults
) -> None:
    """The tunables, or one."""
    _leave(list_rules(_shown(action, name, "rules"), rules))


def _shown(action: str, name: str, command: str) -> str:
    if action and (action != "show" or not name):
        wrong = "show needs an ID" if action == "show" else f"{action!r} is no action"
        raise UsageError(wrong, where=command, hint=f"kernel-advisor {command} show ID")
    return name


def lint(
    directories: Annotated[list[str], typer.Argument(metavar="[DIR]...", show_default=False)] = [],  # noqa: B006  # Typer copies defaults
    learn: Annotated[
        bool, typer.Option("--learn", help="DIR are kernel trees: add them to the catalogue.")
    ] = False,
    practice: Annotated[
        str, typer.Option("--practice", help="DIR are configurations, read then (2026-11): count.")
    ] = "",
    output: Annotated[
        Text, typer.Option("--output", "-o", help="Where --learn or --practice shall write.")
    ] = None,
    tree: Annotated[
        list[str], typer.Option("--tree", help="A kernel tree to hold the rules against; repeats.")
    ] = [],  # noqa: B006  # Typer copies defaults
    arch: Annotated[
        list[str], typer.Option("--arch", help="Its architectures, if not x86 and arm64; repeats.")
    ] = [],  # noqa: B006  # Typer copies defaults
) -> None:
    """Check rules and profiles, the built-in ones or those in DIR, also against kernel trees."""
    if practice:
        _leave(practice_command(directories, practice, output))
    if learn or output:
        _leave(learn_command(directories, learn, output))
    _leave(lint_command(directories, tree, arch))


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    line: Annotated[Text, typer.Option("--line", hidden=True)] = None,
) -> None:
    """The script that completes this command in a shell, to be sourced or installed."""
    from advisor.completion import answer, script

    # A shell asks with the line up to the cursor.
    text = script(shell) if line is None else answer(line, described)
    to_stdout(text)
    _leave(0)


def _leave(code: int) -> None:
    raise typer.Exit(code)


_COMMANDS: dict[str, Callable[..., None]] = {
    "audit": audit,
    "review": review,
    "fragment": fragment,
    "cmdline": cmdline,
    "diff": diff,
    "upgrade": upgrade,
    "baseline": baseline,
    "check": check,
    "explain": explain,
    "profiles": profiles_command,
    "rules": rules_command,
    "lint": lint,
    "completion": completion,
}


def application(words: list[str]) -> typer.Typer:
    """The commands, or the one that the words name: to describe all of them takes 8 ms."""
    app = typer.Typer(
        name="kernel-advisor",
        help="Audit a kernel configuration and boot line against a workload, with sources.",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        # Typer's own options write into the files that a shell reads when it starts.
        add_completion=False,
    )
    app.callback()(_root)
    named = [name for name in words[:1] if name in _COMMANDS]
    for name in named or _COMMANDS:
        app.command(name)(_COMMANDS[name])
    return app


def described(words: list[str]) -> Any:
    """The same as Typer's commands, whose parameters completion and the manual page read."""
    return typer.main.get_command(application(words))


def run() -> int:
    """Runs the command of sys.argv; its exit code. Every failure is a line, never a traceback."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A path may hold what the terminal's encoding does not.
        sys.stdout.reconfigure(errors="backslashreplace")
    app = application(sys.argv[1:])
    return guarded(lambda: app(standalone_mode=False))


def guarded(run: Callable[[], Any]) -> int:
    """Runs a command and turns what it raises into an exit code and one line on stderr."""
    try:
        code = run()
        to_stdout("")
        return code if isinstance(code, int) else 0
    except AdvisorError as error:
        _complain(error)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        if usage := _usage_message(error):
            print(usage, file=sys.stderr)
            return 2
        if os.environ.get("KERNEL_ADVISOR_TRACEBACK"):
            from traceback import print_exc

            print_exc()
        name = type(error).__name__
        complain(
            f"a bug: {name}: {error} (KERNEL_ADVISOR_TRACEBACK=1 shows where; please report it)"
        )
        return 70


def _complain(error: AdvisorError) -> None:
    for where, message in getattr(error, "problems", None) or [(error.where, error.message)]:
        hint = f" ({error.hint})" if error.hint else ""
        place = f"{where}: " if where else ""
        # What a tree's tools said comes as lines of its own, each fit to print.
        lines = message.split("\n") if isinstance(error, TreeError) else [message]
        lines[0] = f"{place}{lines[0]}"
        for line in lines[:-1]:
            complain(line)
        complain(f"{lines[-1]}{hint}")


def _usage_message(error: Exception) -> str:
    """The message of Typer's own usage errors, whose classes it does not export."""
    if not hasattr(error, "format_message"):
        return ""
    if type(error).__name__ == "NoArgsIsHelpError":
        return str(error.format_message())
    context = getattr(error, "ctx", None)
    hint = f" (see: {context.command_path} --help)" if context else ""
    return f"kernel-advisor: {error.format_message()}{hint}"

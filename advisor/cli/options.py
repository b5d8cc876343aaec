"""The options of the commands: names, types and help, each told once."""

from typing import Annotated, Optional

import typer

Text = Optional[str]  # noqa: UP045
Number = Optional[int]  # noqa: UP045
Switch = Optional[bool]  # noqa: UP045

_CONFIG = (
    "A .config, plain or compressed; a defconfig or fragment; "
    "a kernel image with IKCONFIG; REV:FILE of a git revision; - for stdin."
)
SIDE = "A configuration, or a fragment of the other one; REV:PATH is a file of a git revision."
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

"""All targets, by their names, and what no target reads."""

from fuzz import hosts, parsers, trees, ways

TARGETS = {**parsers.TARGETS, **hosts.TARGETS, **trees.TARGETS, **ways.TARGETS}
ROOMS = ("inputs", "tree.kconfig", "tree.drivers")
"""The rooms of `advisor` each of whose modules is of a target, or left out with a reason."""
LEFT_OUT = {
    "inputs.builtin_cmdline": "joins lines that others have read",
    "inputs.folders": "names of folders; reads nothing",
    "inputs.host.patience": "a limit of time for what is read of this machine",
    "inputs.open": "opens files for the other readers; every whole way goes through it",
    "inputs.host.script": "writes the script of collect; reads nothing",
    "tree.drivers.lost": "compares what two trees have; reads nothing",
}

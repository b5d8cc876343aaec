"""What a subject is made of: a configuration, and what is told beside it."""

from __future__ import annotations

from advisor.inputs.config import parse_config
from advisor.inputs.subject import Given, subject_of
from advisor.model.cmdline import parse_cmdline
from advisor.model.kernel import Machine

from ..cases import each


@each(
    ("line", "told", "virtual", "hypervisor"),
    [
        ("initrd=\\initrd.img WSL_ROOT_INIT=1 panic=-1", Machine(), "guest", "hyperv"),
        ("quiet -- WSL_ROOT_INIT=1", Machine(), "guest", "hyperv"),
        ("WSL_ROOT_INIT=1", Machine(virtual="guest", hypervisor="kvm"), "guest", "kvm"),
        ("WSL_ROOT_INIT=1", Machine(virtual="no"), "no", None),
        ("root=/dev/vda1", Machine(), None, None),
    ],
)
def test_a_kernel_that_windows_starts_is_a_guest_of_hyper_v(line, told, virtual, hypervisor):
    config = parse_config("CONFIG_HYPERV=y\n", ".config", complete=True)
    machine = subject_of(config, Given(machine=told, cmdline=parse_cmdline(line))).machine
    assert (machine.virtual, machine.hypervisor) == (virtual, hypervisor)

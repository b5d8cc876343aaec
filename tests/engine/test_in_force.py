"""What is in force of values that name a thing: settings, and the modules that a list starts."""

from __future__ import annotations

from advisor.engine.diagnose.inputs import diagnose

from ..cases import each

BOTH = "SECURITY=y SECURITY_APPARMOR=y SECURITY_SELINUX=y SECURITY_SELINUX_BOOTPARAM=y"


@each(
    ("config", "text", "state"),
    [
        ("NET_SCH_FQ=y", "fq", ("fq",)),
        ("NET_SCH_FQ=m", "fq", ("fq",)),
        ("NET_SCH_FQ=n", "fq", ("fq_codel",)),
        ("NET_SCH_FQ=y", "fq   # text", ("fq_codel",)),
    ],
)
def test_what_the_kernel_refuses_is_not_in_force(make_world, config, text, state):
    base = "NET=y NET_SCHED=y NET_SCH_FQ_CODEL=y NET_SCH_DEFAULT=y DEFAULT_FQ_CODEL=y"
    world = make_world(f"{base} {config}", sysctl=f"net.core.default_qdisc = {text}")
    assert world.state("queueing-discipline").effective == state


def test_what_a_running_kernel_shows_is_in_force(make_world):
    shown = "kernel.osrelease = 6.12.0\nnet.core.default_qdisc = fq"
    world = make_world("NET=y NET_SCHED=y NET_SCH_FQ=n", sysctl=shown)
    assert not [d for d in diagnose(world) if d.id.startswith("component-")]
    assert world.state("queueing-discipline").effective == ("fq",)


@each(
    ("config", "line", "runs"),
    [
        (f'{BOTH} LSM="yama,selinux,smack,apparmor"', None, "selinux, which excludes apparmor"),
        (f'{BOTH} LSM="yama,apparmor,selinux"', None, "apparmor, which excludes selinux later"),
        (f'{BOTH} LSM="yama,apparmor"', None, ""),
        (f'{BOTH} LSM="apparmor,selinux"', "lsm=selinux,apparmor", "selinux, which"),
        (f'{BOTH} LSM="apparmor,selinux"', "selinux=0", ""),
        (f'{BOTH} LSM="apparmor,selinux"', "security=selinux", ""),
        (f'{BOTH} SECURITY_SMACK=y LSM="smack,apparmor,selinux"', None,
         "smack, which excludes apparmor and selinux"),
        # TOMOYO runs beside others.
        ('SECURITY=y SECURITY_SELINUX=y SECURITY_TOMOYO=y LSM="selinux,tomoyo"', None, ""),
    ],
)  # fmt: skip
def test_which_of_several_exclusive_modules_runs(make_world, config, line, runs):
    state = make_world(config, cmdline=line).state("lsm")
    assert state.effective == ("on",)
    assert state.runs.startswith(runs) if runs else state.runs == ""
    tunable = make_world(config).knowledge.tunable("lsm")
    assert state.describe(tunable) == (f"on ({state.runs})" if runs else "on")

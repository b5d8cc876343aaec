"""Findings name the programs that do not work without what they ask for."""

from __future__ import annotations

from advisor.engine.audit import Policy, audit


def of(make_world, built_in, config):
    """By advice of container-host: the functions that a finding on these lines names."""
    world = make_world(config)
    told = audit(world.subject, built_in, [built_in.profile("container-host")], Policy())
    return {one.advice.id: [need.called for need in one.advice.needed_by] for one in told.findings}


def test_a_finding_names_the_programs_that_do_not_work_without_it(make_world, built_in):
    config = "CGROUPS=y CGROUP_SCHED=y FAIR_GROUP_SCHED=y CFS_BANDWIDTH=n NET=y POSIX_MQUEUE=n"
    told = of(make_world, built_in, config)
    assert told["posix-message-queues"] == ["docker", "containerd", "podman@5", "k3s"]
    # Kubernetes starts without quotas: only what limits CPU time does not work.
    assert told["cpu-controller"] == ["docker:cpu-limits"]
    # Of what is right already, nothing.
    assert of(make_world, built_in, "NET=y POSIX_MQUEUE=y")["posix-message-queues"] == []


def test_what_programs_require_is_told_in_their_files_alone(built_in):
    advice = {one.id: one for one in built_in.profile("systemd").advice}
    functions = {one.id: one for one in built_in.program("systemd").functions}
    assert advice["automounter"].why == functions["automount"].why
    assert advice["init-interfaces"].otherwise == "Programs that do not start: systemd."

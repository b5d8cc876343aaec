"""A distribution's own package is the first way to a kernel that it has built already."""

from __future__ import annotations

import json

import pytest

from advisor.engine.audit import Policy, audit

RT = "EXPERT=y ARCH_SUPPORTS_RT=y PREEMPT_VOLUNTARY=y PREEMPT_RT=n"
DEBIAN, UBUNTU = "apt install linux-image-rt-amd64", "apt install ubuntu-realtime"


@pytest.fixture
def package(make_world, built_in):
    """The package that the audit of such a kernel names for the real-time kernel."""

    def of(config="", **told):
        world = make_world(f"{RT} {config}", **told)
        report = audit(world.subject, built_in, [built_in.profile("realtime")], Policy())
        (finding,) = (one for one in report.findings if one.tunable.id == "preempt-rt")
        return finding.package.install if finding.package else None

    return of


@pytest.mark.parametrize(
    ("release", "install"),
    [
        ("6.12.43+deb13-amd64", DEBIAN),
        ("6.1.0-18-amd64", DEBIAN),
        ("6.1.0-18-cloud-amd64", DEBIAN),
        ("6.8.0-31-generic", UBUNTU),
        ("6.17.5-arch1-1", "pacman -S linux-rt"),
        ("6.12.0-55.el10.x86_64", "dnf install kernel-rt"),
        ("5.14.0-503.11.1.el9_5.x86_64", "dnf install kernel-rt"),
        ("6.4.0-150600.23.7-default", "zypper install kernel-rt"),
        ("6.17.1-1-default", "zypper install kernel-rt"),
        ("6.17.1-default", None),  # somebody's own
        ("6.16.0-1.el10ueknext.x86_64", None),  # Oracle's kernel, not Red Hat's
        ("6.17.4-200.fc42.x86_64", None),  # Fedora has no such package
        ("6.12.43", None),
        ("6.12.43-custom-amd64", None),
    ],
)
def test_the_release_tells_the_distribution(package, release, install):
    assert package(kernel=release) == install
    assert package(sysctl=f"kernel.osrelease = {release}") == install


@pytest.mark.parametrize(
    ("compiler", "install"),
    [
        ("x86_64-linux-gnu-gcc-14 (Debian 14.2.0-19) 14.2.0", DEBIAN),
        ("x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0-23ubuntu4) 13.2.0", UBUNTU),
        ("gcc (Debian 14.2.0-19) 14.2.0", None),  # whoever built it there
        ("aarch64-linux-gnu-gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", None),
    ],
)
def test_the_compiler_of_a_package_tells_it(package, compiler, install):
    assert package(f'CC_VERSION_TEXT="{compiler}"') == install


def test_another_architecture_has_another_package(package):
    assert package(kernel="6.1.0-18-arm64", arch="arm64") == "apt install linux-image-rt-arm64"
    assert package(kernel="6.12.43+deb13-riscv64", arch="riscv") is None


def test_what_is_as_wanted_needs_none(make_world, built_in):
    world = make_world("EXPERT=y ARCH_SUPPORTS_RT=y PREEMPT_RT=y", kernel="6.1.0-18-rt-amd64")
    report = audit(world.subject, built_in, [built_in.profile("realtime")], Policy())
    assert not any(one.package for one in report.findings)


def test_it_stands_before_the_rebuild(run_inside, make_config):
    path = make_config(*(f"CONFIG_{one}" for one in RT.split()), kernel="6.1.0-18-amd64")
    text = run_inside("audit", str(path), "-p", "realtime").stdout
    assert text.index(DEBIAN) < text.index(" but ")
    (report,) = json.loads(
        run_inside("audit", str(path), "-p", "realtime", "--format", "json").stdout
    )["reports"]
    (finding,) = (one for one in report["findings"] if one["id"] == "realtime/preempt-rt")
    assert finding["package"] == {"distribution": "Debian", "install": DEBIAN}

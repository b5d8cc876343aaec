"""What options tell of a machine."""

from __future__ import annotations

import os

import pytest

from advisor.errors import UsageError
from advisor.inputs.machine import architecture, kernel_of, machine_of, native_arch
from advisor.model.kernel import Machine

from ..cases import each


def test_the_running_system_has_an_architecture():
    assert native_arch() == architecture(os.uname().machine)


@each(
    ("options", "where", "words"),
    [
        ({"memory": "much"}, "--memory", "'much' is not a memory size"),
        ({"memory": "0"}, "--memory", "'0' is not a memory size"),
        ({"shared_memory": "32"}, "--shared-memory", "'32' is 32 bytes"),
        ({"shared_memory": "32G", "memory": "16G"}, "--shared-memory", "is more than the memory"),
        ({"memory": "-1G"}, "--memory", "'-1G' is not a memory size"),
        ({"arch": "x68"}, "--arch", "'x68' is no architecture"),
        ({"isolate": "1"}, "--isolate", "needs the number of CPUs"),
        ({"isolate": "x", "cpus": 4}, "--isolate", "'x' is not a list of CPUs"),
        ({"isolate": "4", "cpus": 4}, "--isolate", "there are 4 CPUs, 0 to 3"),
        ({"isolate": "0-1", "cpus": 4}, "--isolate", "CPU 0 boots"),
    ],
)
def test_options_that_cannot_be(options, where, words):
    with pytest.raises(UsageError) as caught:
        machine_of(options)
    assert caught.value.where == where
    assert words in caught.value.message
    assert caught.value.hint


def test_options_over_a_base():
    base = Machine(arch="x86", cpus=4)
    found = machine_of({"arch": "aarch64", "memory": "2G", "isolate": "1-2", "cpus": None}, base)
    assert (found.arch, found.memory, found.cpus) == ("arm64", 2 << 30, 4)
    assert (found.isolate, found.housekeeping) == ("1-2", "0,3")


@each("text", ["six", "6.", "-6.12"])
def test_versions_that_are_none(text):
    with pytest.raises(UsageError, match="is not a kernel version"):
        kernel_of(text)


def test_versions():
    assert kernel_of(None) is kernel_of("") is None
    version = kernel_of("6.12.3")
    assert version is not None
    assert version.numbers == (6, 12, 3)

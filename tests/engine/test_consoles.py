"""Words about the console of which another one takes the effect."""

from __future__ import annotations

from advisor.engine.diagnose.inputs import diagnose

from ..cases import each

DUPLICATE, VOID = "parameter-duplicate", "parameter-void"


@each(
    ("line", "told"),
    [
        ("loglevel=7 quiet", [(DUPLICATE, "loglevel=7")]),
        # systemd, the initramfs and splash screens read these two as well.
        ("quiet loglevel=7", []),
        ("quiet splash loglevel=3", []),
        ("debug quiet", []),
        ("debug loglevel=7 quiet", [(DUPLICATE, "loglevel=7")]),
        ("quiet", []),
        # One console a driver: the first of the line (booted: ttyS0 got nothing).
        (
            "console=ttyS1,115200n8 console=ttyS0,115200n8 console=tty0",
            [(VOID, "console=ttyS0,115200n8")],
        ),
        ("console=ttyAMA0 console=ttyS0,115200n8 console=tty0", []),
        ("console=ttyS0 console=ttyS0,115200n8", []),
        ("console=tty0 console=ttyS0,115200n8", []),
    ],
)
def test_the_word_that_decides(make_world, line, told):
    world = make_world("PRINTK=y TTY=y VT=y", cmdline=line)
    found = [(d.id, d.subject) for d in diagnose(world) if d.id in (DUPLICATE, VOID)]
    assert found == told

"""The entry point of `kernel-advisor` and of `python -m advisor`."""

import gc
import sys


def main() -> None:
    """Runs the command line; ends the process with the exit code."""
    # Nothing that is made while modules load is garbage: to look for it there, and again later,
    # costs a tenth of a run.
    gc.disable()
    try:
        from advisor.cli.app import application, run, with_command

        app = application(with_command(sys.argv[1:]))
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    gc.freeze()
    gc.enable()
    raise SystemExit(run(app))


if __name__ == "__main__":
    main()

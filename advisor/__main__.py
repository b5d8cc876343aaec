"""The entry point of `kernel-advisor` and of `python -m advisor`."""

import gc


def main() -> None:
    """Runs the command line; ends the process with the exit code."""
    # Nothing that is made while modules load is garbage: to look for it there, and again later,
    # costs a tenth of a run.
    gc.disable()
    try:
        from advisor.cli.app import run
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    gc.freeze()
    gc.enable()
    raise SystemExit(run())


if __name__ == "__main__":
    main()

"""How much one input may cost: counted work, so that the answer is the same on every machine.

Each reader says what it counts (bytes, members, tests) and how much an honest input needs at most.
"""

from __future__ import annotations

import sys

from advisor.errors import AdvisorError


class Budget:
    """So much work that is left. Once it is spent, it stays spent."""

    def __init__(self, most: int, error: AdvisorError | None = None) -> None:
        """`error` is what `charge` raises when there is no more."""
        self._left = most
        self._error = error

    @property
    def spent(self) -> bool:
        """Whether more was asked for than there was."""
        return self._left < 0

    def spend(self, amount: int = 1) -> bool:
        """Whether there was so much left, for a reader that then leaves the rest unread."""
        self._left -= amount
        return self._left >= 0

    def charge(self, amount: int = 1) -> None:
        """Raises the error where there is not so much left."""
        if not self.spend(amount) and self._error:
            raise self._error


ENDLESS = Budget(sys.maxsize)
"""Of what is bounded elsewhere."""

# What type checkers see of record.py: typing's NamedTuple, which it stands in for.
from typing import NamedTuple as NamedTuple

"""The types of the domain: immutable values, no behaviour beyond reading themselves.

NamedTuples, since a frozen slotted dataclass costs ten times as much to define (1.3 against
0.13 ms a class, measured), and every run of the command defines them all.
"""

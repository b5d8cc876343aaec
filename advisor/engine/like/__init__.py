"""What somebody's tuning does on one kernel: an answer for each of its entries, with the reason.

The tuning is tried (trial.py), each entry is answered (answers.py), first by what comes behind it
(order.py), and what the program makes of missing settings is foretold (breaks.py).
"""

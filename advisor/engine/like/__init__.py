"""What somebody's tuning does on one kernel: an answer for each of its entries, with the reason.

The tuning is tried (trial.py); then each entry is answered, and what the program makes of missing
settings is foretold (answers.py).
"""

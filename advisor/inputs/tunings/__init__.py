"""Tunings of others: profiles of TuneD, notes of saptune, files of settings, boot lines.

One module a program. A tuning is named by its file, or as the program on the host calls it.
"""

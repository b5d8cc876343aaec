"""Tunings that people name: profiles of TuneD, notes of saptune, files of settings, boot words."""

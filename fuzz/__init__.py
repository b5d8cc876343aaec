"""Fuzz targets of the readers and of whole ways through the product (README.md)."""

"""The reference pages under docs/, generated from declarations and docstrings. Each module has one page."""

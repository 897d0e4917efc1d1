"""Utilities of passes on graphs: values, rule tables, op families, views, signs and bounds."""

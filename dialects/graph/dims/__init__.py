"""The dims of values as sizes of named dims: names, inference and requirements."""

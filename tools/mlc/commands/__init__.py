"""The commands of mlc, a module for each."""

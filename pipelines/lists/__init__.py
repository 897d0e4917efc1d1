"""The named pipelines' elements, a file for each family of them."""

"""The reference pages under docs/, generated from what the code says of itself. Each module holds one
page."""

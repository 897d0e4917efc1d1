"""`mlc run --verify --each-node`: the first node whose result is wrong."""

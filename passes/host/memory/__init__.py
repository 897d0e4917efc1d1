"""The static memory plan of a host function: allocations, their order, their offsets in one arena."""

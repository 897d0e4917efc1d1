"""Convolutions and pools: their padding, and the forms that later passes can compute."""

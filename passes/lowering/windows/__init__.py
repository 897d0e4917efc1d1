"""Depthwise convolutions and pools on plain images, computed by rows: `tloop.row_window` and its parts."""

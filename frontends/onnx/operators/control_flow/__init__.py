"""If, Loop and Scan, and the regions that they build."""

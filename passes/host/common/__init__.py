"""What static and dynamic host functions share."""

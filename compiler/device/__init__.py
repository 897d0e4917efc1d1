"""GPU programs: kernels compiled for the device, and the plan that launches them."""

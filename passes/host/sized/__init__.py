"""Host functions whose sizes only a call tells: memory is allocated as they run."""

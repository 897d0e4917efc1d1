"""The code of a thread from programs of thread blocks: the parts of the pass `accel-distribute`."""

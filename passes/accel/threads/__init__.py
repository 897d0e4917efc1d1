"""Code for one thread from programs of blocks: what `accel-distribute` is made of."""

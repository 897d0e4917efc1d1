"""The zoo: models as people deploy them, which the compiler was not tuned for."""

"""What threads of AMD's GPUs have of their own."""

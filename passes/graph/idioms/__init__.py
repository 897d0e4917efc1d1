"""Recognition of the ops that exporters take apart."""

"""What passes on graphs share: values, rule tables, op families, views, signs and bounds."""

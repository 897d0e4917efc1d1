// expected-error@+1 {{expected operation name in quotes}}
?

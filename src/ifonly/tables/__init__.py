"""Tables, rules and models that come in from files, for the command line and the service."""

"""Tables that only the command line reads or writes."""

"""Tables that come in from files and go out to them."""

"""The report of an audit: its page, what it says first, and the call that makes it again."""

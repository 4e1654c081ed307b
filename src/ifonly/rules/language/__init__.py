"""The text of rules: how a line is read, and how names and numbers are written."""

"""Rules on columns that go together."""

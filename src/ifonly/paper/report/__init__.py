"""What is written about a run: sections, tables, figures, claims."""

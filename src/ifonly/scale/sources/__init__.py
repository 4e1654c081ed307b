"""What rows are read from: Parquet, CSV and array files, on this machine or in an object store."""

"""Where parts and the manifest are kept: a folder, or an object store."""

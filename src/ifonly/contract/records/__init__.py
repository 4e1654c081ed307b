"""Records of decisions: their schema, their files, their signatures, and how they are checked."""

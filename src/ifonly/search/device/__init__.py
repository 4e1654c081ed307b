"""The default method on a device: the same order of work over torch's tensors, thousands of rows
at a time. The model is asked through its reading, where the tensors are."""

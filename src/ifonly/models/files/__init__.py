"""Saved models, by the ending of their file."""

from ifonly.models.files.load import load_model

__all__ = ["load_model"]

"""What a part is: its table as a file, scores that are settled, and the way back to answers."""

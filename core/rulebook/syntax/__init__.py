"""What the words of an English sentence do in it."""

"""What reading a document will take, before it is read."""

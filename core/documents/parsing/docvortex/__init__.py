"""The embedded parser, in a child process."""

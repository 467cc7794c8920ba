"""Commands of the command line: one file each, thin over the services."""

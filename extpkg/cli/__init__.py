"""The command line: the only room that knows click, terminals and exit codes."""

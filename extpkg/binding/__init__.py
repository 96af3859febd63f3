"""From a validated input to the parts of one HTTP request, byte for byte (R-REQ). Pure: no I/O, no clock."""

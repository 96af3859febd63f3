"""The only code that opens a socket: it knows requests and answers, and no Definition (R-RES-2, R-RES-3)."""

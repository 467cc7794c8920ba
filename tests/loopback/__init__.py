"""Outside services on this machine, over their real wire protocols: deterministic, and able to misbehave on request."""

"""Non-disclosure agreements."""

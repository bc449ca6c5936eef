"""From storage to a chosen attempt: read, prompt, generate, select."""

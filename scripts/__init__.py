"""Setting up, pinning and the demo's documents. Nothing in the product imports these."""

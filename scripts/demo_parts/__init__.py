"""The demo's documents: what stands in them, and how each format is written so that it comes out the same."""

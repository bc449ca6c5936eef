"""Till receipts."""

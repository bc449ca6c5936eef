"""Suppliers' invoices."""

"""Opinions of customers."""

"""Prefect flows and the command line: wiring only, and the one place that reads settings."""

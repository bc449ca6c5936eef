"""Bytes to text, one media type a file, each call isolated in a worker process."""

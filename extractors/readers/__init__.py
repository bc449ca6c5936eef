"""Bytes to text, one media type a file, each call isolated in a worker process."""

from extractors.readers.media import READER_VERSIONS

__all__ = ["READER_VERSIONS"]

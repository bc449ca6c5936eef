"""An S3-compatible server on loopback, for the tests that need a bucket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer


@contextmanager
def object_store(bucket: str) -> Iterator[Any]:
    """A client of a new server with one empty bucket; the environment leads to it while it is there."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        environment.setenv("AWS_REGION", "us-east-1")
        environment.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "20")  # the server's pages; S3's own hold a thousand
        client = boto3.client("s3")
        client.create_bucket(Bucket=bucket)
        yield client
        client.close()
    server.stop()

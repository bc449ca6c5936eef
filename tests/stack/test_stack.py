"""The processes of docker-compose.yml, with its commands and settings, from a bucket to rows."""

from __future__ import annotations

from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from tests.stack.night import Night

pytestmark = pytest.mark.engine


def test_documents_in_the_bucket_become_rows(night: Night) -> None:
    night.arrive(6)
    assert night.ended(night.trigger(), 300) == "COMPLETED", night.stack.told()
    rows = night.rows(
        "SELECT uri, status, value IS NOT NULL FROM extractions JOIN documents USING (document_id)"
    )
    arrived = [f"s3://documents/inbox/receipt-{number:03}.txt" for number in range(night.documents)]
    assert sorted(uri for uri, _, _ in rows) == arrived
    assert {status for _, status, _ in rows} <= {"accepted", "flagged", "rejected"}
    assert any(answered for _, _, answered in rows)


def test_who_has_no_password_is_refused(night: Night) -> None:
    worker = night.stack.environment("worker")
    for address in (
        f"{worker['PREFECT_API_URL']}/flows/count",
        f"{worker['AWS_ENDPOINT_URL']}/documents/inbox/receipt-000.txt",
        f"{worker['ASSAY_ENGINE']}/v1/models",
    ):
        with pytest.raises(HTTPError) as refused:
            urlopen(address, timeout=10)  # noqa: S310 - loopback
        refused.value.close()
        assert refused.value.code in {401, 403}

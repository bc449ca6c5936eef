"""The pool's promise: a bad document costs itself alone."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from extractors.readers.pool import ReaderPool
from schemas.errors import AssayError
from schemas.records import Category, Document

NAUGHTY = "tests.extractors.readers.naughty_worker"


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with ReaderPool(workers=2, timeout_s=2.0, memory_bytes=256 << 20, worker_module=NAUGHTY) as pool:
        yield pool


def read(pool: ReaderPool, order: str) -> Document:
    return pool.read(order.encode(), "memory")[0].document


@pytest.mark.parametrize(
    ("order", "category", "word"),
    [
        ("segfault", Category.UNREADABLE, "SIGSEGV"),
        ("leave", Category.UNREADABLE, "exit 3"),
        ("bug", Category.UNREADABLE, "ZeroDivisionError"),
        ("fail", Category.UNREADABLE, "as asked"),
        ("eat", Category.TOO_LARGE, "memory"),
        ("nibble", Category.TOO_LARGE, "memory"),
        ("hang", Category.READER_TIMEOUT, "2 s"),
        ("hold", Category.READER_TIMEOUT, "2 s"),
    ],
)
def test_a_bad_document_has_its_category_and_the_next_is_read(
    pool: ReaderPool, order: str, category: Category, word: str
) -> None:
    ballast = b"x" * (300 << 20)  # what this process weighs is not the worker's doing
    began = time.monotonic()
    bad = read(pool, order)
    assert (bad.category, bad.text, bad.page_starts) == (category, "", ())
    assert word in (bad.message or "")
    assert bad.media_type == "text/plain"
    assert read(pool, "good words").text == "good words"
    assert time.monotonic() - began < 12
    del ballast


def test_the_fields_of_a_document(pool: ReaderPool) -> None:
    (result,) = pool.read(b"good words", "s3://bucket/x.txt")
    document = result.document
    assert document.document_id == hashlib.sha256(b"good words").hexdigest()
    assert (document.uri, document.size, document.parent_id) == ("s3://bucket/x.txt", 10, None)
    assert document.reader.startswith("text@1 charset-normalizer-")
    assert document.first_seen_at.utcoffset() is not None
    assert result.data == b"good words"


def test_what_a_library_prints_does_not_disturb(pool: ReaderPool) -> None:
    assert read(pool, "chat").category is None


def test_a_worker_is_used_again() -> None:
    with ReaderPool(workers=1, worker_module=NAUGHTY) as pool:
        notes = {read(pool, f"good {number}").message for number in range(5)}
    assert len(notes) == 1


def test_a_document_does_not_pay_for_the_one_before_it() -> None:
    with ReaderPool(workers=1, worker_module=NAUGHTY) as pool:
        assert read(pool, "leak").category is None
        assert read(pool, "good words").text == "good words"


def test_a_worker_killed_while_idle_is_replaced() -> None:
    with ReaderPool(workers=1, worker_module=NAUGHTY) as pool:
        pid = int((read(pool, "good").message or "").split()[1])
        os.kill(pid, signal.SIGKILL)
        assert read(pool, "good again").text == "good again"


def test_many_threads_read_at_once(pool: ReaderPool) -> None:
    orders = [f"{order} {number}" for number in range(15) for order in ("good", "fail")]
    orders[5] = orders[20] = "segfault"
    with ThreadPoolExecutor(8) as threads:
        documents = list(threads.map(lambda order: read(pool, order), orders))
    for order, document in zip(orders, documents, strict=True):
        assert document.document_id == hashlib.sha256(order.encode()).hexdigest()
        assert (document.category is None) == order.startswith("good")


def test_attachments_stop_at_a_depth(pool: ReaderPool) -> None:
    results = pool.read(b"nest ", "mail")
    depths = [len(result.data) for result in results]
    assert depths == sorted(depths)
    assert [result.document.parent_id for result in results[1:]] == [
        result.document.document_id for result in results[:-1]
    ]
    assert [result.document.category for result in results] == [None] * (len(results) - 1) + [
        Category.TOO_LARGE
    ]
    assert results[2].document.uri == "mail#1/again#1/again"


def test_a_large_document_passes_through_the_pipes(pool: ReaderPool) -> None:
    words = "good " * 2_000_000
    assert read(pool, words).text == words


def test_a_thread_that_ends_takes_no_worker_along() -> None:
    with ReaderPool(workers=1, worker_module=NAUGHTY) as pool:
        with ThreadPoolExecutor(1) as threads:
            first = threads.submit(read, pool, "good 1").result()
        assert read(pool, "good 2").message == first.message


def test_closing_ends_all_workers_and_refuses_reads() -> None:
    before = set(psutil.Process().children())
    pool = ReaderPool(workers=1, worker_module=NAUGHTY)
    read(pool, "good")
    pool.close()
    assert set(psutil.Process().children()) <= before
    with pytest.raises(AssayError, match="closed"):
        read(pool, "good")


def test_closing_interrupts_a_read_and_judges_no_document() -> None:
    pool = ReaderPool(workers=1, timeout_s=30, worker_module=NAUGHTY)
    read(pool, "good")
    with ThreadPoolExecutor(1) as threads:
        hanging = threads.submit(read, pool, "hang")
        time.sleep(0.3)
        pool.close()
        with pytest.raises(AssayError, match="closed"):
            hanging.result(timeout=5)


def test_a_worker_that_cannot_start_is_an_error_of_ours() -> None:
    with (
        ReaderPool(workers=1, worker_module="tests.extractors.readers.no_such_module") as pool,
        pytest.raises(AssayError, match="no_such_module"),
    ):
        read(pool, "good")


_PARENT = f"""
import sys, threading, time
from extractors.readers.pool import ReaderPool
pool = ReaderPool(workers=2, timeout_s=30, worker_module={NAUGHTY!r})
print(pool.read(b"good", "x")[0].document.message.split()[1], flush=True)
threading.Thread(target=pool.read, args=(sys.argv[1].encode(), "x"), daemon=True).start()
time.sleep(60)
"""


@pytest.mark.parametrize("order", ["good", "hang", "hold"])
def test_no_worker_outlives_a_killed_parent(order: str, root: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", _PARENT, order], stdout=subprocess.PIPE, cwd=root) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        time.sleep(0.5)
        workers = psutil.Process(parent.pid).children()
        assert workers
        parent.kill()
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert alive == []


def test_a_worker_knows_nothing_of_its_parents_modules_or_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    with ReaderPool(workers=1) as pool:
        pool.read(b"good", "x")
        (worker,) = [
            child for child in psutil.Process().children() if "extractors.readers.worker" in child.cmdline()
        ]
        assert "AWS_SECRET_ACCESS_KEY" not in worker.environ()

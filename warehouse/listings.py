"""The questions behind the commands that list runs, failures and symptoms."""

from __future__ import annotations

from collections.abc import Iterable

from warehouse.asked import Asked

_REASONS = """
SELECT run_id, quality_results.message FROM quality_results JOIN runs USING (run_id)
WHERE runs.status = 'quarantined' AND NOT success AND severity = 'critical' ORDER BY run_id DESC, number
"""
# Categories are a closed list: nothing in this table comes from a document.
_CATEGORIES = """
SELECT status, coalesce(level, '') AS level, coalesce(category, '') AS category, count(*) AS documents
FROM extractions WHERE run_id = $run AND category IS NOT NULL GROUP BY ALL ORDER BY documents DESC, category
"""


def runs(most: int) -> Asked:
    """The newest runs, with how each ended."""
    return Asked("SELECT * FROM run_summary ORDER BY run_id DESC LIMIT $most", {"most": most})


def called(given: str, most: int) -> Asked:
    """The run_ids that start with `given`."""
    sql = "SELECT run_id FROM runs WHERE starts_with(run_id, $given) LIMIT $most"
    return Asked(sql, {"given": given, "most": most})


def known(run_ids: Iterable[str]) -> Asked:
    """Which of these runs are recorded here."""
    sql = "SELECT run_id FROM runs WHERE list_contains($runs::VARCHAR[], run_id)"
    return Asked(sql, {"runs": sorted(run_ids)})


def newest() -> Asked:
    """The run that ended last."""
    return Asked("SELECT run_id FROM runs WHERE status <> 'running' ORDER BY run_id DESC LIMIT 1")


def failures(run_id: str | None) -> Asked:
    """What did not succeed, in a run as it ended, or in what is current as it stands now."""
    if run_id is None:
        return Asked("SELECT * FROM failures")
    return Asked("SELECT * FROM failures_by_run WHERE run_id = $run", {"run": run_id})


def categories(run_id: str) -> Asked:
    """How often each status, level and category occurs among what did not succeed in a run, as it ended."""
    return Asked(_CATEGORIES, {"run": run_id})


def symptoms() -> Asked:
    """The symptoms that apply."""
    return Asked("FROM symptoms WHERE applies")


def quarantined() -> Asked:
    """The runs in quarantine, the newest first."""
    sql = "SELECT run_id, schema, documents FROM runs WHERE status = 'quarantined' ORDER BY run_id DESC"
    return Asked(sql)


def reasons() -> Asked:
    """Why each run in quarantine is there."""
    return Asked(_REASONS)

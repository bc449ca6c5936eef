#!/bin/sh
# The demo: real documents through a real language model, checked, landed, and looked at in SQL.
# `make demo` calls it with `assay` on the path. Documents that fail are part of it: only an engine that gives
# no answer (exit 1 of `assay extract`) is a failure of the demo.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

export TQDM_DISABLE=1 PYTHONWARNINGS=ignore VLLM_LOGGING_LEVEL=ERROR  # the libraries' own chatter
assay() { printf '$ assay %s\n' "$*"; command assay "$@"; }

say "1/4 Invoices in ten formats and seven languages, ten of them made to fail or to mislead; then till receipts"
echo "   (a small model on this machine's CPU: loading it takes about 20 s, the documents about a minute;"
echo "    both extractions ask the same loaded engine)"
.venv/bin/python -m scripts.demo_extract

say "2/4 What came out. The model is tiny and often wrong, and the checks say where"
assay sql "SELECT parse_filename(uri) AS document, c.status, c.category, invoice_number AS number, issue_date, total
    FROM current c JOIN documents USING (document_id) LEFT JOIN invoice USING (document_id)
    WHERE c.schema = 'invoice@1' ORDER BY c.status, c.category, document"
assay sql "SELECT company, date, total, status FROM receipt ORDER BY company"

say "3/4 Why documents did not succeed: level, category, how many, an example"
assay sql "SELECT level, category, documents, round(share, 3) AS share, parse_filename(example) AS example FROM failures"

say "4/4 One document: each value with the line that it stands on, its span marked, and all findings"
# The one whose values were found best in its text: which that is depends on the model.
document=$(command assay sql --json "SELECT document_id FROM fields WHERE NOT is_null GROUP BY ALL
    ORDER BY count(span_start) >= 4 DESC, count(span_start) / count(*) DESC, count(*) DESC, document_id LIMIT 1" |
    grep -o '[0-9a-f]\{64\}' || echo invoice-en.txt)
assay show "$document"

say "Ask on: .venv/bin/assay sql \"FROM failures_by_field\", .venv/bin/assay show failing-contradictory-totals.txt"

#!/bin/sh
# The demo: real documents through a real language model, checked, landed, and looked at in SQL.
# `make demo` calls it with `assay` on the path. Documents that fail are part of it: only an engine that gives
# no answer (exit 1 of `assay extract`) is a failure of the demo.
set -eu
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }
assay() { printf '$ assay %s\n' "$(printf '%s' "$*" | head -n 1)"; command assay "$@"; }

say "1/5 Invoices in nine formats and seven languages, and nine that fail in their own way"
echo "   (a small model on this machine's CPU: loading it takes about 20 s, the documents about a minute)"
assay extract demo/documents --schema invoice@1

say "2/5 Till receipts, under a schema of their own"
assay extract demo/receipts --schema receipt@1

say "3/5 What came out. The model is tiny and often wrong, and the checks say where"
assay sql "SELECT parse_filename(uri) AS document, status, category FROM current JOIN documents USING (document_id) ORDER BY status, category, document"
assay sql "SELECT parse_filename(uri) AS document, value ->> '\$.company' AS company, value ->> '\$.date' AS date, value ->> '\$.total' AS total FROM current JOIN documents USING (document_id) WHERE schema = 'receipt@1' ORDER BY document"

say "4/5 Why documents did not succeed: level, category, how many, an example"
assay sql "SELECT level, category, documents, round(share, 3) AS share, parse_filename(example) AS example FROM failures"

say "5/5 One document: each value with the line that it stands on, its span marked, and all findings"
assay show invoice-en.txt

say "Ask on: .venv/bin/assay sql \"FROM failures_by_field\", .venv/bin/assay show failing-contradictory-totals.txt"

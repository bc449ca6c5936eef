#!/bin/sh
# All tests, in two halves that take about as long, side by side: one begins with those of the real engine and
# of the stack, which keep one core busy. `make test` calls it.
set -u
cd "$(dirname "$0")/.."
PYTHON=.venv/bin/python

HALF="tests/engine tests/stack tests/desk tests/extractors"

said=$(mktemp)
# shellcheck disable=SC2086  # a folder a word
"$PYTHON" -m pytest $HALF >"$said" 2>&1 &
half=$!
trap 'kill "$half" 2>/dev/null; rm -f "$said"' EXIT
trap 'exit 130' INT TERM

# shellcheck disable=SC2046
"$PYTHON" -m pytest $(printf ' --ignore %s' $HALF)
others=$?
wait "$half"
status=$?
cat "$said"
[ "$others" -eq 0 ] && [ "$status" -eq 0 ]

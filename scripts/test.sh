#!/bin/sh
# All tests: those of the real engine and of the stack, which keep one core busy, beside all others. `make test`
# calls it.
set -u
cd "$(dirname "$0")/.."
PYTHON=.venv/bin/python

said=$(mktemp)
"$PYTHON" -m pytest tests/engine tests/stack >"$said" 2>&1 &
engine=$!
trap 'kill "$engine" 2>/dev/null; rm -f "$said"' EXIT
trap 'exit 130' INT TERM

"$PYTHON" -m pytest --ignore tests/engine --ignore tests/stack
others=$?
wait "$engine"
status=$?
cat "$said"
[ "$others" -eq 0 ] && [ "$status" -eq 0 ]

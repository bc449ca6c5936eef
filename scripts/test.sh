#!/bin/sh
# All tests, in three parts side by side, as much of them is waiting for processes. `make test` calls it.
set -u
cd "$(dirname "$0")/.."
PYTHON=.venv/bin/python

said=$(mktemp -d)
beside=
trap 'kill $beside 2>/dev/null; rm -rf "$said"' EXIT
trap 'exit 130' INT TERM

# The tests of some folders in a process of their own, whose output is shown at the end.
part() {
    "$PYTHON" -m pytest "$@" >"$said/$(echo "$*" | tr '/ ' '--')" 2>&1 &
    beside="$beside $!"
}

part tests/engine tests/stack
part tests/flows
"$PYTHON" -m pytest --ignore tests/engine --ignore tests/stack --ignore tests/flows
failed=$?
for one in $beside; do
    wait "$one" || failed=1
done
cat "$said"/*
exit "$failed"

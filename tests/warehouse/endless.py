"""Lands shard after shard in children that are killed at random moments. Usage: HOME KILLS SEED.

The children are forked from a process that has loaded everything and opened nothing, so that a kill costs
milliseconds. Names of staged shards are written to `HOME/staged.txt` as soon as they are safe. Prints how
many kills left a shard that was not landed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.warehouse.samples import document, ok
from warehouse import landing, staging
from warehouse.shards import waiting
from warehouse.store import Warehouse

DOCUMENTS = 10
LOADED = (landing, staging)  # with Arrow, before the fork


def main(home: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    run_id, in_landing = (home / "run.txt").read_text(), 0
    for kill in range(kills):
        begun, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(begun)
            land_for_ever(Warehouse(home, wait_s=20), run_id, kill, told)
        os.close(told)
        for _ in range(chance.randint(1, 2)):  # the landing in which it dies
            os.read(begun, 1)
        time.sleep(chance.uniform(0, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(begun)
        in_landing += bool(waiting(home / "staging"))
    print(in_landing)


def land_for_ever(home: Warehouse, run_id: str, child: int, told: int) -> None:
    log = os.open(home.home / "staged.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for number in range(1_000_000):
        shard = f"s{child:03}-{number:03}"
        names = [f"{shard}-{index}" for index in range(DOCUMENTS)]
        home.stage(shard, run_id, [document(name) for name in names], ok(names, run_id))
        os.write(log, f"{shard}\n".encode())
        os.write(told, b"l")
        home.land()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

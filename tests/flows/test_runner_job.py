"""What a worker is told, and what it refuses: no Ray is needed for that."""

from __future__ import annotations

import pickle
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from pydantic import SecretStr

from flows.engine import start
from flows.order import Order
from flows.plan import Plan, plan
from flows.runner.job import Job, job_of, settings_here
from flows.runner.marks import is_shared, marked
from flows.settings import Settings
from schemas.errors import EngineMismatch, SettingError, WarehouseError
from tests.flows.fake_engine import receipt
from warehouse.store import Warehouse

pytestmark = pytest.mark.skipif(find_spec("ray") is None, reason="the `ray` extra is not installed")
RUN = "01890000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory, model_dir: Path) -> Plan:
    folder = tmp_path_factory.mktemp("job")
    (folder / "a.txt").write_text(receipt(1))
    made = Settings(home=folder / "home", model=model_dir, engine_api_key=SecretStr("told to nobody"))
    return plan(Order(str(folder / "a.txt"), "receipt@1"), made)


@pytest.fixture
def job(planned: Plan) -> Job:
    return job_of(planned, RUN, start)


def test_no_secret_travels_and_a_worker_takes_its_own(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    assert b"told to nobody" not in pickle.dumps(job)
    monkeypatch.setenv("ASSAY_ENGINE_API_KEY", "the worker's")
    key = settings_here(pickle.loads(pickle.dumps(job))).engine_api_key  # noqa: S301
    assert key is not None
    assert key.get_secret_value() == "the worker's"


@pytest.mark.parametrize("place", ["home", "folder"])
def test_a_place_that_is_not_shared_is_told_from_one_that_is(
    planned: Plan, job: Job, tmp_path: Path, place: str
) -> None:
    from flows.runner.worker import terms_here

    staging = None if place == "home" else str(tmp_path / place)
    settings = planned.settings.model_copy(update={"staging": staging})
    given = replace(job, settings=job.settings.model_copy(update={"staging": staging}))
    with pytest.raises(WarehouseError, match="share that folder, or set ASSAY_STAGING"):
        terms_here(given)
    with marked(Warehouse(settings.home), settings, RUN):
        assert terms_here(given).recipe.recipe_id == planned.recipe.recipe_id
    assert not is_shared(settings, RUN)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("staging", [None, "folder"])
def test_a_mark_that_a_killed_run_left_goes(planned: Plan, tmp_path: Path, staging: str | None) -> None:
    settings = planned.settings.model_copy(update={"staging": staging and str(tmp_path / staging)})
    warehouse = Warehouse(settings.home)
    killed = warehouse.start_run("extract", "receipt@1", planned.recipe.recipe_id, "x")
    left = marked(warehouse, settings, killed)
    left.__enter__()
    with marked(warehouse, settings, RUN):
        assert not is_shared(settings, killed)
        assert is_shared(settings, RUN)


@pytest.mark.parametrize(
    ("other", "error", "told"),
    [
        ({"max_model_len": 2048}, EngineMismatch, r"its model \(max_model_len\) is not the run's"),
        ({"model": Path("/nowhere/at/all")}, SettingError, "/nowhere/at/all is no folder"),
    ],
)
def test_a_machine_that_has_something_else_says_what(
    planned: Plan, job: Job, other: dict[str, object], error: type[Exception], told: str
) -> None:
    from flows.runner.worker import terms_here

    given = job.settings.model_copy(update=other)
    with marked(Warehouse(planned.settings.home), planned.settings, RUN), pytest.raises(error, match=told):
        terms_here(replace(job, settings=given))


def test_a_machine_with_another_release_says_so(job: Job) -> None:
    from flows.runner.worker import terms_here

    with pytest.raises(EngineMismatch, match="its release of Assay is not the run's"):
        terms_here(replace(job, release="older"))


def test_a_refusal_comes_whole_from_another_process() -> None:
    from flows.runner.task import Refused

    there = pickle.loads(pickle.dumps(Refused("gpu-2", "no model", fatal=True)))  # noqa: S301
    assert (there.host, there.reason, there.fatal) == ("gpu-2", "no model", True)
    assert str(there) == "worker on gpu-2: no model"


def test_of_what_was_raised_on_another_machine_its_own_line_is_told() -> None:
    from flows.runner.crew import reason_of

    raised = 'The actor died because of an error raised in its creation task\n  File "a.py", line 7, in b\n'
    assert reason_of(RuntimeError(f"{raised}ModuleNotFoundError: No module named 'flows'")).startswith(
        "Module"
    )
    assert reason_of(RuntimeError("The actor died unexpectedly.\n\tpid: 1")) == "The actor died unexpectedly."
    assert reason_of(RuntimeError()) == "RuntimeError"


def test_a_worker_that_is_gone_is_told_without_ray_s_sockets() -> None:
    from ray.exceptions import ActorUnavailableError

    from flows.runner.crew import reason_of

    gone = ActorUnavailableError("RpcError: RPC error: Socket closed rpc_code: 14", b"0" * 16)
    assert reason_of(gone) == "its process ended, or cannot be reached"

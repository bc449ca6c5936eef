"""The gate's checks: Great Expectations over the one row that a run's metrics are.

Loading the library takes 7 to 22 s, so that this module is imported only by a run that is to be judged. It
works on a DataFrame in memory: its way through SQL closes a DuckDB connection before it has read the answer.
Source: https://docs.greatexpectations.io/docs/core/introduction/
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import great_expectations as gx
import numpy as np
import pandas as pd
from great_expectations.compatibility.pydantic import ValidationError
from great_expectations.data_context.types.base import DataContextConfig, InMemoryStoreBackendDefaults
from great_expectations.exceptions import GreatExpectationsError
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from schemas.errors import statement
from warehouse.expectations import Expectation
from warehouse.metrics import Metrics

_BOUNDS = {"min_value": "at least", "max_value": "at most"}
# Great Expectations 1.24 puts NumPy's booleans into its result, which its own store cannot write as JSON.
_UNWRITABLE = {"expect_column_quantile_values_to_be_between"}


@dataclass(frozen=True, slots=True)
class Result:
    """How one expectation came out: `observed` are the metrics that it looked at, `message` tells it."""

    expectation: Expectation
    success: bool
    observed: Mapping[str, float]
    message: str

    @property
    def fatal(self) -> bool:
        """Whether this alone keeps the run out."""
        return not self.success and self.expectation.severity == "critical"


@dataclass(frozen=True, slots=True)
class Report:
    """A run's results, in the order of the expectations, and its Data Docs as the library renders them."""

    results: tuple[Result, ...]
    page: str

    @property
    def passed(self) -> bool:
        """Whether nothing critical failed."""
        return not any(result.fatal for result in self.results)


def check(metrics: Metrics, values: Mapping[str, float], expectations: Iterable[Expectation]) -> Report:
    """Check `values`, the metrics of a run, one column each. What cannot be checked has failed."""
    wanted = list(expectations)
    broken: dict[int, str] = {}
    suite = gx.ExpectationSuite(name=metrics.schema)
    for number, expectation in enumerate(wanted):
        problem = _add(suite, number, expectation, values)
        if problem:
            broken[number] = problem
    with np.printoptions(legacy="1.25"):  # GX reads numbers from their repr, as NumPy had it before 2
        validated = _validate(suite, values, metrics.run_id)
        page = _render(validated)
    found = {int(one.expectation_config.meta["number"]): one for one in validated.results}
    results = tuple(
        _result(expectation, values, found.get(number), broken.get(number))
        for number, expectation in enumerate(wanted)
    )
    return Report(results, page)


def _add(
    suite: gx.ExpectationSuite, number: int, expectation: Expectation, values: Mapping[str, float]
) -> str | None:
    """Put an expectation into the suite; where it cannot be, why."""
    if expectation.type in _UNWRITABLE:
        return "its result cannot be written down by this version of Great Expectations"
    unknown = [name for name in expectation.metrics if name not in values]
    if unknown:
        return f"this run has no metric {', '.join(unknown)}; it has {', '.join(sorted(values))}"
    configuration = ExpectationConfiguration(
        type=expectation.type,
        kwargs=dict(expectation.kwargs),
        severity=expectation.severity,
        notes=expectation.notes or None,
        meta={"number": number},
    )
    try:
        suite.expectations.append(configuration.to_domain_obj())
    except (GreatExpectationsError, ValueError, TypeError, KeyError, AttributeError) as error:
        return f"{type(error).__name__}: {_reason(error)}"
    return None


def _reason(error: Exception) -> str:
    """The library's message on one line: of wrong arguments each with what it may be, else as it stands."""
    if not isinstance(error, ValidationError):
        return statement(str(error))
    told: dict[str, list[str]] = {}
    for one in error.errors():
        told.setdefault(".".join(map(str, one["loc"])), []).append(str(one["msg"]))
    return "; ".join(f"{name}: {' or '.join(reasons)}" for name, reasons in told.items())


def _validate(suite: gx.ExpectationSuite, values: Mapping[str, float], run_id: str) -> Any:
    """Run the suite in a context that lives in memory only: no folder, no account, no progress bar."""
    stores = InMemoryStoreBackendDefaults(init_temp_docs_sites=False)
    in_memory = DataContextConfig(store_backend_defaults=stores)
    context = gx.get_context(mode="ephemeral", project_config=in_memory)
    context.variables.progress_bars = {"globally": False}
    source = context.data_sources.add_pandas("warehouse")
    batch = source.add_dataframe_asset("run").add_batch_definition_whole_dataframe("metrics")
    definition = gx.ValidationDefinition(name=run_id, data=batch, suite=context.suites.add(suite))
    frame = pd.DataFrame([dict(values)])
    return context.validation_definitions.add(definition).run(batch_parameters={"dataframe": frame})


def _result(expectation: Expectation, values: Mapping[str, float], found: Any, problem: str | None) -> Result:
    observed = {name: values[name] for name in expectation.metrics if name in values}
    if problem is None and found is None:
        problem = "it was not checked"
    if problem is None:
        problem = _exception(found)
    if problem is not None:
        return Result(expectation, False, observed, f"{expectation.type} cannot be checked: {problem}")
    return Result(expectation, bool(found.success), observed, _in_words(expectation, observed))


def _exception(found: Any) -> str | None:
    """What was raised while one was checked: GX has one record of it, or one for each of its own metrics."""
    info = found.exception_info or {}
    for record in [info, *info.values()]:
        if isinstance(record, dict) and record.get("raised_exception"):
            return statement(str(record.get("exception_message")))
    return None


def _in_words(expectation: Expectation, observed: Mapping[str, float]) -> str:
    """`null_share:/total is 0.4; expected at most 0.2. …`"""
    seen = ", ".join(f"{name} is {value:.6g}" for name, value in observed.items()) or expectation.type
    rule = {key: value for key, value in expectation.kwargs.items() if not key.startswith("column")}
    told = ", ".join(f"{_BOUNDS.get(key, key)} {value}" for key, value in rule.items())
    if not told:
        told = expectation.type.removeprefix("expect_").replace("_", " ")
    return f"{seen}; expected {told}. {expectation.notes}".strip()


def _render(validated: Any) -> str:
    """The library's page, of escaped texts: it escapes nothing itself."""
    from great_expectations.core import (
        ExpectationSuiteValidationResult,
        expectationSuiteValidationResultSchema,
    )
    from great_expectations.render.renderer import ValidationResultsPageRenderer
    from great_expectations.render.view import DefaultJinjaPageView

    plain = expectationSuiteValidationResultSchema.load(_escaped(validated.to_json_dict()))
    names = ("success", "results", "suite_name", "statistics", "meta")
    shown = ExpectationSuiteValidationResult(**{name: plain[name] for name in names})
    return str(
        DefaultJinjaPageView().render(ValidationResultsPageRenderer(run_info_at_end=True).render(shown))
    )


def _escaped(value: Any) -> Any:
    """A JSON value with its texts escaped for HTML."""
    if isinstance(value, str):
        return escape(value, quote=False)
    if isinstance(value, list):
        return [_escaped(item) for item in value]
    return {key: _escaped(item) for key, item in value.items()} if isinstance(value, dict) else value

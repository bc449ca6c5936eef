"""`assay evaluate`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson
from flows.output import note, safe, say, say_json
from schemas.errors import UsageError

if TYPE_CHECKING:
    from flows.evaluation.asked import Asked
    from flows.evaluation.result import Evaluation

Names = Annotated[str | None, typer.Option(help="Decodings to compare, with commas between.")]


def evaluate(
    named: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LABELS]",
            help="A file of labels, or its folder; left out: the warehouse's labels. More runs after --from.",
        ),
    ] = None,
    schema: Annotated[str | None, typer.Option(help="Schema version, such as receipt@1.")] = None,
    decodings: Names = None,
    from_runs: Annotated[
        list[str] | None, typer.Option("--from", help="Score this run instead of drawing. May be repeated.")
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare two evaluations: assay evaluate --compare EVAL1 EVAL2.")
    ] = False,
    samples: Annotated[int, typer.Option(min=1, help="Draws for each input, with different seeds.")] = 1,
    repeat: Annotated[int, typer.Option(min=1, help="Run the same so often: is it repeatable?")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="So many inputs, drawn by the seed.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides the draws, the inputs and the resamples.")] = 0,
    baseline: Annotated[str | None, typer.Option(help="What differences are to; default: the first.")] = None,
    rename: Annotated[
        list[str] | None, typer.Option(help="A label's field: OLD=NEW. May be repeated.")
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option(help="A label's field to leave out. May be repeated.")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(help="Only labels whose KEY=VALUE, such as core_ok=true. May be repeated."),
    ] = None,
    cluster: Annotated[
        str, typer.Option(help="The labels' key of documents that belong together.")
    ] = "cluster",
    locale: Annotated[str | None, typer.Option(help="How labels write dates and numbers: de_DE.")] = None,
    documents: Annotated[
        str | None, typer.Option(help="Where the documents lie, if not where labels say.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option(help="Where the HTML page goes; default: the reports folder.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure decodings against LABELS: rates over all inputs, each with its interval, differences, costs.

    Exit 0: done. 1: a run got no answers from the engine. 2: wrongly asked. 130: stopped.
    """
    if compare:
        _compare(named or [], seed, as_json)
        return
    from flows.evaluation.asked import Asked, pairs

    labels, more_runs = _told_apart(named or [], scoring_runs=bool(from_runs))
    asked = Asked(
        labels=labels,
        schema=schema,
        decodings=tuple(filter(None, (name.strip() for name in (decodings or "").split(",")))),
        runs=(*(from_runs or ()), *more_runs),
        samples=samples,
        repeats=repeat,
        limit=limit,
        seed=seed,
        baseline=baseline,
        rename=pairs(rename or [], "--rename", "OLD=NEW, such as --rename sentiment=label"),
        without=frozenset(without or ()),
        locale=locale,
        cluster=cluster,
        where=pairs(where or [], "--where", "KEY=VALUE, such as --where core_ok=true"),
        documents=documents,
    )
    if page is not None:
        _can_be_written(page)
    _show(_carry_out(asked), page, as_json)


def _can_be_written(page: Path) -> None:
    """Raises before anything is measured where the page has no place."""
    from warehouse.files import writing

    if page.is_dir():
        raise UsageError(f"--page {page}: that is a folder; name a file in it")
    with writing(page.parent):
        page.parent.mkdir(parents=True, exist_ok=True)


def _told_apart(named: list[str], *, scoring_runs: bool) -> tuple[str | None, list[str]]:
    """The labels, and the runs that stand behind `--from RUN`: what exists as a file or folder is labels."""
    runs = [one for one in named if scoring_runs and not Path(one).expanduser().exists()]
    labels = [one for one in named if one not in runs]
    if len(labels) > 1:
        raise UsageError(f"{labels[1]}: one file of labels is enough; --compare compares two evaluations")
    return (labels[0] if labels else None), runs


def _carry_out(asked: Asked) -> Evaluation:
    from flows.evaluate import evaluate as carry_out
    from flows.order import DocumentsFailed
    from flows.settings import load

    try:
        return carry_out(asked, load())
    except DocumentsFailed as error:
        note(f"assay: {safe(str(error))}; what was done can be scored with --from RUN")
        raise typer.Exit(error.summary.exit_code) from None


def _show(evaluation: Evaluation, page: Path | None, as_json: bool) -> None:
    from flows.evaluation.page import write_page
    from flows.settings import load

    path = page or load().reports / f"evaluation-{evaluation.evaluation_id}.html"
    write_page(evaluation, path)
    if as_json:
        say_json({**evaluation.as_json(), "page": str(path)})
        return
    from flows.evaluation.terminal import lines

    for line in lines(evaluation):
        say(line)
    say(f"evaluation {evaluation.evaluation_id}, page {safe(str(path))}")
    for one in evaluation.notes:
        note(f"assay: {safe(one)}")


def _compare(named: list[str], seed: int, as_json: bool) -> None:
    if len(named) != 2:
        raise UsageError("--compare: name two evaluations")
    from flows.commands.asking import warehouse
    from flows.evaluation.comparison import comparison
    from flows.evaluation.terminal import comparison_lines

    found = comparison(warehouse(), named[0], named[1], seed)
    if as_json:
        say_json(found.as_json())
        return
    for line in comparison_lines(found):
        say(line)

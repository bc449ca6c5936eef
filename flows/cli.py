"""`assay`: the command line. It loads nothing that a command does not need."""

from __future__ import annotations

import os
import sys

import typer

from flows import logs
from flows.commands import (
    decodings,
    diff,
    doctor,
    evaluate,
    export,
    extract,
    failures,
    gate,
    land,
    purge,
    report,
    rerun,
    review,
    runs,
    schemas,
    serve,
    show,
    snapshot,
    sql,
    trace,
)
from flows.output import note, safe
from schemas.errors import AssayError, EngineUnavailable, statement

app = typer.Typer(
    name="assay",
    help="Turn folders and buckets of documents into rows that can be trusted.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,  # Rich's help costs half a second
)
app.command("extract")(extract.extract)
app.command("rerun")(rerun.rerun)
app.command("evaluate")(evaluate.evaluate)
app.command("diff")(diff.diff)
app.command("failures")(failures.failures)
app.command("doctor")(doctor.doctor)
app.command("gate")(gate.gate)
app.command("report")(report.report)
app.command("review")(review.review)
app.command("show")(show.show)
app.command("trace")(trace.trace)
app.command("sql")(sql.sql)
app.command("serve")(serve.serve)
app.command("land")(land.land)
app.command("snapshot")(snapshot.snapshot)
app.command("purge")(purge.purge)
app.add_typer(runs.app, name="runs")
app.add_typer(export.app, name="export")
app.add_typer(schemas.app, name="schemas")
app.add_typer(decodings.app, name="decodings")


def main() -> None:
    """Run the command line. What a person can put right is one line on stderr and exit 2, no traceback."""
    logs.use("json" if os.environ.get("ASSAY_LOG") == "json" else "text")
    try:
        code = app(prog_name="assay", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except AssayError as error:
        shown = (f"  {safe(line)}" for line in error.snippet.splitlines())
        note("\n".join([f"assay: {safe(str(error))}", *shown]))
        sys.exit(1 if isinstance(error, EngineUnavailable) else 2)
    except typer.TyperException as error:
        note(_misused(error))
        sys.exit(error.exit_code)
    except typer.Abort:
        note("assay: not done, as it was not agreed to")
        sys.exit(1)
    except BrokenPipeError:
        # Who read our output went away (`| head`): nothing to say, and Python must not try again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:
        note(f"assay: {safe(str(error))}")
        sys.exit(2)


def _misused(error: typer.TyperException) -> str:
    """What is wrong with a command's words, and where to look; or the help, where there were none."""
    said, context = error.format_message(), getattr(error, "ctx", None)
    if context is not None and said == context.get_help():
        return said
    where = f": see `{context.command_path} --help`" if context is not None else ""
    said = safe(statement(said)).replace(": Value error, ", ": ").removesuffix(".")  # Pydantic's, of no use
    return f"assay: {said}{where}"


if __name__ == "__main__":
    main()

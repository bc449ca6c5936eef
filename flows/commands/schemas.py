"""`assay schemas`"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from flows.commands.asking import AsJson
from flows.output import note, safe, say, say_json, say_rows
from schemas.errors import SchemaError, SettingError
from schemas.records import Severity

if TYPE_CHECKING:
    from schemas.decoding import Backend
    from schemas.lint import LintFinding
    from schemas.registry import Registry, SchemaVersion

app = typer.Typer(help="See, check and release schema versions.", no_args_is_help=True)
COLUMNS = ("schema", "state", "fingerprint", "about")
Ref = Annotated[str, typer.Argument(help="Such as invoice@2.")]


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all schema versions, and your own with ASSAY_SCHEMAS: draft, released, or changed (refused)."""
    registry = _registry()
    say_rows([_row(version, registry.state(version)) for version in registry.all()], COLUMNS, as_json)


def _row(version: SchemaVersion, state: str) -> dict[str, object]:
    about = (version.cls.__doc__ or "").strip().splitlines()
    return {
        "schema": version.ref,
        "state": state,
        "fingerprint": version.fingerprint[:16],
        "about": about[0] if about else "",
    }


@app.command()
def show(ref: Ref) -> None:
    """Print the JSON Schema that the decoder gets for a version."""
    from schemas.json_schema import decoder_schema

    say_json(decoder_schema(_registry().resolve(ref).cls))


@app.command()
def lint(
    ref: Annotated[str | None, typer.Argument(help="One version; without it, all.")] = None,
    backend: Annotated[
        str | None, typer.Option(help="guidance, xgrammar or outlines; without it, the default decoding's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check design rules: each breach with its reason and a fix. Exit 1 where one forbids release.

    What the decoding backend enforces is found by trying: right and wrong answers are walked token by token
    through the compiled schema.
    """
    from flows.lint import tried
    from flows.settings import load
    from schemas.lint import lint_version

    versions = [version for version in _registry().all() if ref in (None, version.ref)]
    if not versions:
        _registry().resolve(ref or "")  # says what there is
    rules = tried(load(), versions, _known(backend))
    found = []
    for version in versions:
        if backend is not None:
            note(f"trying {version.ref} on {backend}")
        found += [(version.ref, issue) for issue in lint_version(version, rules)]
    if as_json:
        say_json([{"schema": name, **asdict(issue)} for name, issue in found])
    else:
        for name, issue in found:
            _say_breach(name, issue)
        note(f"{len(versions)} checked, {len(found)} {'breach' if len(found) == 1 else 'breaches'}")
    raise typer.Exit(1 if any(issue.severity == Severity.ERROR for _, issue in found) else 0)


def _known(backend: str | None) -> Backend | None:
    if backend is None:
        return None
    from schemas.decoding import Backend

    names: tuple[Backend, ...] = get_args(Backend)
    for name in names:
        if name == backend:
            return name
    raise SettingError(f"unknown backend {backend!r}: choose one of {', '.join(names)}")


def _say_breach(name: str, issue: LintFinding) -> None:
    say(safe(f"{name} {issue.pointer} {issue.code} {issue.severity}: ") + issue.message)
    say(f"    why: {issue.why}")
    say(f"    fix: {issue.fix}")


@app.command()
def freeze(ref: Ref) -> None:
    """Release a version: its fingerprint is locked, and from now on a change of it is refused."""
    from flows.lint import tried
    from flows.settings import load
    from schemas import freeze as releasing

    version = _registry().resolve(ref)
    try:
        new = not version.released and releasing.freeze(version, tried(load(), [version]))
    except OSError as error:
        raise SchemaError(f"{version.lock} cannot be written: {error.strerror}") from error
    if new:
        say(f"{ref} is released: its fingerprint {version.fingerprint[:16]} stands in {version.lock}")
    else:
        say(f"{ref} is released already, and unchanged")


def _registry() -> Registry:
    from flows.settings import load
    from schemas.registry import load as load_registry

    return load_registry(load().schemas)

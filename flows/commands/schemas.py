"""`assay schemas`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import AsJson
from flows.output import note, safe, say, say_json, say_rows
from schemas.errors import SchemaError

if TYPE_CHECKING:
    from schemas.registry import Registry, SchemaVersion

app = typer.Typer(help="See, check and release schema versions.", no_args_is_help=True)
COLUMNS = ("schema", "released", "fingerprint", "about")
Ref = Annotated[str, typer.Argument(help="Such as invoice@2.")]


@app.command("list")
def list_all(as_json: AsJson = False) -> None:
    """List all schema versions: those that ship and, with ASSAY_SCHEMAS, your own."""
    say_rows([_row(version) for version in _registry().all()], COLUMNS, as_json)


def _row(version: SchemaVersion) -> dict[str, object]:
    about = (version.cls.__doc__ or "").strip().splitlines()
    return {
        "schema": version.ref,
        "released": version.released,
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
    as_json: AsJson = False,
) -> None:
    """Check design rules: each breach with its reason and a fix. Exit 1 where there is one."""
    from schemas.lint import lint as check

    registry = _registry()
    versions = registry.all() if ref is None else [registry.resolve(ref)]
    found = [(version.ref, issue) for version in versions for issue in check(version.cls)]
    if as_json:
        say_json([{"schema": name, **issue.as_dict()} for name, issue in found])
    else:
        for name, issue in found:
            say(safe(f"{name} {issue}"))
        note(f"{len(versions)} checked, {len(found)} breaches")
    raise typer.Exit(1 if found else 0)


@app.command()
def freeze(ref: Ref) -> None:
    """Release a version: its fingerprint is locked, and from now on a change of it is refused."""
    version = _registry().resolve(ref)
    if version.released:
        say(f"{ref} is released already, and unchanged")
        return
    _release(version)
    say(f"{ref} is released: its fingerprint {version.fingerprint[:16]} stands in {version.lock}")


def _release(version: SchemaVersion) -> None:
    from schemas.lock import read_lock, release, write_lock

    try:
        write_lock(version.lock, {**read_lock(version.lock), version.ref: release(version.cls)})
    except OSError as error:
        raise SchemaError(f"{version.lock} cannot be written: {error.strerror}") from error


def _registry() -> Registry:
    from flows.settings import load
    from schemas.registry import load as load_registry

    return load_registry(load().schemas)

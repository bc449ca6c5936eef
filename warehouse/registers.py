"""What a run was made of: schema versions with their views, and recipes."""

from __future__ import annotations

import json

import duckdb

from schemas.json_schema import decoder_schema
from schemas.recipe import Recipe
from warehouse import materialised
from warehouse.rows import now
from warehouse.typed import SchemaVersion, check_name, current_view, shape_of, versioned_view


def has_schema(connection: duckdb.DuckDBPyConnection, version: SchemaVersion) -> bool:
    """Whether the last registration of this version had this fingerprint."""
    sql = "SELECT arg_max(fingerprint, registered_at) FROM schema_versions WHERE schema = ?"
    return connection.execute(sql, [version.ref]).fetchall() == [(version.fingerprint,)]


def add_schema(connection: duckdb.DuckDBPyConnection, version: SchemaVersion) -> None:
    """Record a schema version and (re)make its views; call within a transaction.

    Raises SchemaError where its name or its fields cannot become a view.
    """
    check_name(version.name)
    text = json.dumps(decoder_schema(version.cls), ensure_ascii=False)
    connection.execute(
        "INSERT OR REPLACE INTO schema_versions VALUES (?, ?, ?, ?, ?, ?, ?)",
        [version.ref, version.name, version.version, version.fingerprint, text, now(), shape_of(version)],
    )
    if version.ref in materialised.shapes(connection):
        materialised.keep(connection, version)  # in the shape that it has now
    else:
        connection.execute(versioned_view(version))
    sql = "SELECT max(version) FROM schema_versions WHERE name = ?"
    newest = connection.execute(sql, [version.name]).fetchall()[0][0]
    connection.execute(current_view(version.name, int(newest)))


def has_recipe(connection: duckdb.DuckDBPyConnection, recipe: Recipe) -> bool:
    """Whether a recipe is recorded."""
    sql = "SELECT 1 FROM recipes WHERE recipe_id = ?"
    return bool(connection.execute(sql, [recipe.recipe_id]).fetchall())


def add_recipe(connection: duckdb.DuckDBPyConnection, recipe: Recipe) -> None:
    """Record a recipe; one that is there stays as it is."""
    connection.execute(
        "INSERT OR IGNORE INTO recipes VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            recipe.recipe_id,
            recipe.schema_ref,
            recipe.schema_fingerprint,
            recipe.prompt_fingerprint,
            recipe.decoding.model_dump_json(),
            json.dumps(dict(recipe.model), sort_keys=True),
            json.dumps(dict(recipe.versions), sort_keys=True),
            now(),
        ],
    )

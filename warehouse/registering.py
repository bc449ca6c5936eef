"""What runs are made of: schema versions with their views and tables, and recipes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse.home import Home

if TYPE_CHECKING:
    from schemas.recipe import Recipe
    from warehouse.typed import SchemaVersion


class Registering(Home):
    """Recording a version or a recipe before its first run."""

    __slots__ = ()

    def register_schema(self, version: SchemaVersion) -> None:
        """Record a schema version and make its typed views. Known ones cost one look.

        Raises SchemaError where its name or its fields cannot become a view.
        """
        from warehouse import registers  # loads Pydantic, which SQL commands do not need

        if not self._read(lambda connection: registers.has_schema(connection, version)):
            self._write(lambda connection: registers.add_schema(connection, version))

    def materialise(self, version: SchemaVersion, keep: bool = True) -> None:
        """Keep a typed table of a registered version's answers from now on, or no longer."""
        from warehouse import materialised

        if self._read(lambda connection: materialised.is_kept(connection, version)) == keep:
            return
        change = materialised.keep if keep else materialised.drop
        self._write(lambda connection: change(connection, version))

    def register_recipe(self, recipe: Recipe) -> None:
        """Record a recipe. Known ones cost one look."""
        from warehouse import registers

        if not self._read(lambda connection: registers.has_recipe(connection, recipe)):
            self._write(lambda connection: registers.add_recipe(connection, recipe))

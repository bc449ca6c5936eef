"""The settings: `ASSAY_*` in the environment, then `assay.toml` in the working folder, then the defaults.

`flows` is the only place that reads them; every other folder is told what it needs by its caller.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from extractors.roots import parse as roots_setting
from flows.runner.address import LOCAL, runner_setting, staging_setting
from flows.servers import EMBEDDED, engine_setting
from schemas.addresses import parts_of
from schemas.decoding import Decoding, Scoring, parse
from schemas.errors import SettingError

PREFIX = "ASSAY_"
FILE = Path("assay.toml")


def _key(value: SecretStr | None) -> SecretStr | None:
    """A key as a header can carry it; what files of secrets have at their end is left out."""
    key = None if value is None else value.get_secret_value().strip()
    if key is not None and not (key.isascii() and key.isprintable()):
        raise ValueError("a key is one line of printable ASCII characters")
    return None if key is None else SecretStr(key)


def _api_url(value: str | None) -> str | None:
    """The address of Prefect's API in one form."""
    return None if value is None else parts_of(value.rstrip("/"), "http", "https").geturl()


Key = Annotated[SecretStr | None, AfterValidator(_key)]


class _File(TomlConfigSettingsSource):
    """`assay.toml`, which is committed and copied about, and must therefore hold no secret."""

    def __call__(self) -> dict[str, Any]:
        """The file's settings. Raises SettingError for a secret, without showing it."""
        given = super().__call__()
        for name in given:
            setting = Settings.model_fields.get(name)
            if setting is not None and "SecretStr" in str(setting.annotation):
                raise SettingError(
                    f"{name} in {FILE}: a secret; allowed: {PREFIX}{name.upper()} in the environment"
                )
        return given


class Settings(BaseSettings):
    """What can be set, with its default. Sizes are bytes, times are seconds."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    home: Path = Field(Path(".assay"), description="folder with the warehouse, archive, models and staging")
    model: Path | None = Field(None, description="folder of a model for vLLM; default: the small one")
    engine: Annotated[str, AfterValidator(engine_setting)] = Field(
        EMBEDDED,
        description="`embedded`, or addresses of vLLM servers, as in http://gpu-1:8000,http://gpu-2:8000",
    )
    engine_model: str | None = Field(None, description="name of the model, where a server has several")
    engine_api_key: Key = Field(None, description="the servers' key; in the environment only")
    engine_timeout: float = Field(600.0, gt=0, le=86_400, description="seconds for one request to a server")
    engine_patience: float = Field(
        300.0, ge=0, le=86_400, description="seconds to wait for a lost server before documents are `failed`"
    )
    deadline: float | None = Field(
        None, gt=0, le=604_800, description="seconds after which a run ends; what is left is for the next one"
    )
    wait: float = Field(0.0, ge=0, le=604_800, description="seconds to wait for another run in the same home")
    roots: Annotated[tuple[str, ...], NoDecode, BeforeValidator(roots_setting)] = Field(
        (),
        description="folders and prefixes that may be read, with commas between; deployments need it",
    )
    gpu_limit: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_.-]+$",
        description="name of Prefect's concurrency limit that a run with the embedded engine takes a slot of",
    )
    report_url: str | None = Field(
        None,
        pattern=r"^https?://[^@\s()<>\[\]]+$",
        description="address below which the reports folder is served",
    )
    runner: Annotated[str, AfterValidator(runner_setting)] = Field(
        LOCAL,
        description="where shards run: `local`, `ray` for workers on this machine, or ray://head:10001",
    )
    workers: int | None = Field(
        None, ge=1, le=10_000, description="workers of a run on Ray; default: one a GPU, else one a core"
    )
    staging: Annotated[str | None, AfterValidator(staging_setting)] = Field(
        None,
        description="bucket prefix or folder where workers leave shards, where they do not share ASSAY_HOME",
    )
    schemas: Path | None = Field(None, description="folder with schemas of your own")
    decoding: str = Field("guided-greedy", description="name of the decoding to use when none is given")
    decodings: dict[str, dict[str, Any]] = Field(
        default_factory=dict, description="decodings of your own, a table [decodings.NAME] each"
    )
    scoring: Scoring = Field(
        "sample", description="answers scored without the mask: off, flagged ones, a sample of 5 %, or all"
    )
    max_model_len: int = Field(4096, ge=256, le=1_048_576, description="tokens of prompt and answer together")
    max_num_seqs: int = Field(32, ge=1, le=1024, description="requests that the engine works on at once")
    shard_size: int = Field(64, ge=1, le=4096, description="documents landed together")
    stage_every: float = Field(15.0, gt=0, le=3600, description="seconds after which a part shard is staged")
    reader_workers: int = Field(2, ge=1, le=64, description="processes that take text from documents")
    reader_timeout: float = Field(20.0, gt=0, le=600, description="seconds to read one document")
    reader_memory: int = Field(1536 * 2**20, ge=2**28, description="bytes of memory that one reader may take")
    max_document_bytes: int = Field(64 * 2**20, ge=1, description="larger documents are `too_large`")
    heartbeat: float = Field(5.0, gt=0, le=300, description="seconds between a run's signs of life")
    price_per_hour: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="money that an hour of the engine costs, in whatever currency; for `assay evaluate`",
    )
    materialise: str = Field(
        "none",
        pattern=r"^(none|all|[a-z0-9_]+@[0-9]+(,[a-z0-9_]+@[0-9]+)*)$",
        description="schema versions whose typed tables landing keeps: receipt@1,invoice@2, or all, or none",
    )
    log: Literal["text", "json"] = Field(
        "text", description="what stderr is written as: for a person, or one object a line for a collector"
    )
    gate: Literal["on", "off"] = Field("on", description="check each ended run with Great Expectations")
    prefect: Literal["auto", "always", "never"] = Field(
        "auto", description="report runs to Prefect: where a server is set, always, or never"
    )
    prefect_api_url: Annotated[str | None, AfterValidator(_api_url)] = Field(
        None, description="address of a Prefect server, as in http://127.0.0.1:4200/api"
    )
    prefect_api_key: Key = Field(None, description="key for the Prefect server")

    @field_validator("*", mode="before")
    @classmethod
    def _is_given(cls, value: Any) -> Any:
        """A variable that was forgotten would otherwise be the working folder, or no limit at all."""
        if isinstance(value, str) and not value.strip():
            raise ValueError("it is empty: give it a value, or leave it out")
        return value

    @classmethod
    def settings_customise_sources(  # the names are pydantic-settings' own
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment wins over the file."""
        return init_settings, env_settings, _File(settings_cls, toml_file=FILE)

    @property
    def models(self) -> Path:
        """Where prepared models lie."""
        return self.home / "models"

    def materialises(self, ref: str) -> bool:
        """Whether landing keeps a typed table for a schema version."""
        return self.materialise == "all" or ref in self.materialise.split(",")

    @property
    def reports(self) -> Path:
        """Where reports are written."""
        return self.home / "reports"


def own_decodings(settings: Settings) -> dict[str, Decoding]:
    """The decodings that a user described. Raises SettingError that names each wrong setting."""
    for name, given in settings.decodings.items():
        if given.get("name", name) != name:
            raise SettingError(
                f"decoding {name}: its name is that of its table [decodings.NAME]: remove name"
            )
    return {name: parse({**given, "name": name}) for name, given in settings.decodings.items()}


def load(**given: Any) -> Settings:
    """The settings as they stand; `given` wins over the environment, but for None. Raises SettingError."""
    _refuse_unknown(os.environ)
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        raise SettingError("\n".join(_explain(problem) for problem in error.errors())) from None
    except ValueError as error:  # the TOML parser's error, or an unreadable JSON value in the environment
        raise SettingError(f"{FILE}: {error}") from None


def _refuse_unknown(environment: Mapping[str, str]) -> None:
    """A misspelt variable would otherwise be ignored in silence."""
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    for name in sorted(environment):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            raise SettingError(f"{name}: no such setting{_nearest(name.upper(), known)}")


def _nearest(name: str, known: set[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; the settings are {', '.join(sorted(known))}"


def _explain(problem: Mapping[str, Any]) -> str:
    """One line: the setting, what is wrong, what is allowed. The value is not shown: it may be a secret."""
    name = str(problem["loc"][0]) if problem["loc"] else str(FILE)
    if problem["type"] == "extra_forbidden":
        return f"{name} in {FILE}: no such setting{_nearest(name, set(Settings.model_fields))}"
    reason = problem["msg"].removeprefix("Value error, ")
    return f"{PREFIX}{name.upper()} (or {name} in {FILE}): {reason}; allowed: {allowed(name)}"


def allowed(name: str) -> str:
    """The values that a setting takes, in words."""
    setting = Settings.model_fields.get(name)
    if setting is None:
        return "see the settings in flows/settings.py"
    if get_origin(setting.annotation) is Literal:
        return ", ".join(map(str, get_args(setting.annotation)))
    bounds = {type(rule).__name__.lower(): _bound(rule) for rule in setting.metadata}
    signs = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    limits = " and ".join(f"{signs[kind]} {bounds[kind]:,}" for kind in signs if kind in bounds)
    return " ".join(filter(None, [_kind(setting.annotation), limits])) + f" ({setting.description})"


def _bound(rule: Any) -> Any:
    """The bound that an annotated-types rule holds."""
    return getattr(rule, type(rule).__name__.lower(), None)


def _kind(annotation: Any) -> str:
    annotation = next((one for one in get_args(annotation) if one is not type(None)), annotation)
    names = {int: "a whole number", float: "a number", str: "text"}
    return names.get(annotation, "a path" if "Path" in str(annotation) else "text")

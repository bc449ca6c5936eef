"""What would be done to a document: everything that can change an answer, in one fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, PlainSerializer

from schemas.decoding import Decoding


def _frozen(value: Mapping[str, str]) -> Mapping[str, str]:
    return MappingProxyType(dict(value))


FrozenMap = Annotated[Mapping[str, str], AfterValidator(_frozen), PlainSerializer(dict)]


class Recipe(BaseModel):
    """Schema version, prompt, decoding, model and versions under which a document is done once.

    `model` holds content hashes and engine settings, not paths: a model that moved is the same model.
    `versions` holds libraries and readers whose change may change an answer.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_ref: str
    schema_fingerprint: str
    prompt_fingerprint: str
    decoding: Decoding
    model: FrozenMap
    versions: FrozenMap

    @property
    def recipe_id(self) -> str:
        """The first 16 hex digits of the SHA-256 over the content; the decoding's name is no part of it."""
        return hashlib.sha256(self._canonical().encode()).hexdigest()[:16]

    def _canonical(self) -> str:
        content: dict[str, Any] = self.model_dump(mode="json", exclude={"decoding"})
        content["decoding"] = self.decoding.fingerprint
        return json.dumps(content, sort_keys=True, ensure_ascii=False)

"""What the symptoms mean, in words, and what to do next. The figures are those of the view `symptoms`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Group: TypeAlias = Mapping[str, Any]
_LONG = 3  # groups of evidence that are told


def advice(row: Mapping[str, Any]) -> list[str]:
    """The lines that tell one symptom: how much of it, where most of it is, what to do, where to look."""
    groups: list[Group] = json.loads(row["evidence"])
    tell, next_step = _SYMPTOMS[row["symptom"]]
    share = f" ({row['share']:.1%})" if row["share"] is not None else ""
    head = f"{row['symptom']}: {row['cases']} of {row['seen']} {row['unit']}{share}"
    details = [f"  {tell(group)}" for group in groups[:_LONG]]
    return [head, *details, f"  next: {next_step(groups)}", f'  look: assay sql "{row["look"]}"']


def _unparsed(group: Group) -> str:
    """`receipt@1, mode prompt at temperature 0.7: 12 ended by length with 128 to 255 tokens`"""
    low = group["tokens_from"]
    tokens = f"{low} to {2 * low - 1}" if low > 1 else str(low)
    drawn = f"mode {group['mode']} at temperature {group['temperature']}"
    return f"{group['schema']}, {drawn}: {group['attempts']} ended by {group['ending']} with {tokens} tokens"


def _unparsed_next(groups: list[Group]) -> str:
    endings = {group["ending"] for group in groups}
    if endings & {"length", "repetition"}:
        return "answers run until they are cut: bound what grows (assay schemas lint), or raise max_tokens"
    if any(group["mode"] == "prompt" for group in groups):
        return "nothing enforces JSON here: use a guided decoding (assay decodings list)"
    return "look at the raw texts: SELECT ending, text FROM attempts WHERE NOT parses"


def _off_schema(group: Group) -> str:
    where = group["field"] or "the whole answer"
    three = f"prompt {group['prompt_schema']}, decoder {group['decoder_schema']}"
    return (
        f"{group['schema']} {where}: {group['category']} in {group['documents']} documents"
        f" (schemas: {three}, validator {group['validator_schema']})"
    )


def _off_schema_next(groups: list[Group]) -> str:
    if any(_is_mixed(group) for group in groups):
        return "the prompt showed another schema than the validator checks: freeze the version and rerun"
    if any(group["mode"] != "guided" for group in groups):
        return "the decoder did not enforce the schema: use a guided decoding"
    return "the backend does not enforce a keyword: assay schemas lint names it"


def _is_mixed(group: Group) -> bool:
    known = (group["prompt_schema"], group["validator_schema"])
    return None not in known and known[0] != known[1]


def _low(group: Group) -> str:
    removed = (
        "not scored" if group["removed_mass"] is None else f"{group['removed_mass']:.0%} of the mass removed"
    )
    closed = ", a closed list" if group["closed_enum"] else ""
    place = "" if group["position"] is None else f", place {group['position']}{closed}"
    unfound = f"{group['unfound_share']:.0%} not in the source"
    if group["right_share"] is not None:
        unfound += f", {group['right_share']:.0%} right by labels"
    return f"{group['schema']} {group['field']}{place}: {unfound}, {removed}"


def _low_next(groups: list[Group]) -> str:
    pressed = [group for group in groups if (group["removed_mass"] or 0) >= 0.2]
    if any(group["closed_enum"] for group in pressed):
        return "the mask forces a listed value: allow null or more values in the enum"
    if pressed:
        return "the grammar forbids what the model would say: loosen the field, or put reasoning before it"
    return "the form is right and the values are not: a better model or prompt, reasoning first, null allowed"


def _greedy(group: Group) -> str:
    differ = f"{group['changed']} of {group['documents']} differ"
    return f"{group['schema']} under recipe {group['recipe_id']}: {differ}"


def _greedy_next(groups: list[Group]) -> str:
    pairs = [f"run_diff('{group['first_run']}', '{group['last_run']}')" for group in groups[:1]]
    return (
        "batches differ from run to run: use backend guidance, no prefix caching, or vote over samples;"
        f" see FROM {pairs[0]}"
    )


def _guided(group: Group) -> str:
    return (
        f"{group['schema']}: {group['differ']} of {group['documents']} answers differ between guided and"
        f" {group['unguided_mode']}; of these {group['guided_accepted']} guided and"
        f" {group['unguided_accepted']} unguided ones pass the checks"
    )


def _guided_next(groups: list[Group]) -> str:
    guided, other = (
        sum(group[name] for group in groups) for name in ("guided_accepted", "unguided_accepted")
    )
    if other > guided:
        return (
            "the grammar costs answers: see removed_mass in low_scores, and put reasoning before the answers"
        )
    return "guided answers hold at least as well: keep guided, and label the ones that differ"


_SYMPTOMS: dict[str, tuple[Callable[[Group], str], Callable[[list[Group]], str]]] = {
    "outputs do not parse": (_unparsed, _unparsed_next),
    "outputs parse but miss the schema": (_off_schema, _off_schema_next),
    "outputs fit but score low": (_low, _low_next),
    "identical greedy runs differ": (_greedy, _greedy_next),
    "guided and unguided disagree": (_guided, _guided_next),
}

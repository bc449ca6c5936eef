"""Instructions inside a document: text that speaks to the model instead of to a reader.

A finding of severity warning. It changes no outcome by itself: the values are checked as ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from schemas.records import Finding, Level, Severity
from validators.grounding.index import SourceIndex
from validators.grounding.stems import Stemmed

MOST = 8
"""Findings of this kind for one document."""
_THING = (
    r"(?:reminder|invoice|notice|letter|statement|bill|e-?mail|message|version|quot|price|agreement|arrangement"
    r"|correspondence|communication|contract|offer|order|payment|draft|page|year|amendment|understanding)"
)
"""What people speak of when they ask a reader to disregard the previous one."""
_VALUE = r"(?:amount|total|sum|price|value|date|answer|result|(?:invoice |account )?number|name)"
_COUNTED = r"(?:decimal|place|digit|people|person|day|%)"
_SET = rf"(?:as|to|=|is)\s+(?:[\"'$€£]|\d+(?:[.,]\d+)?(?!\s*{_COUNTED})|zero\b|null\b|nil\b)"


def _order(things: str, most: int = 3) -> str:
    """The pattern of a verb's object behind it, with a few words between."""
    return rf"\s+(?:\w+\s+){{0,{most}}}?(?:{things})"


_PATTERNS = (
    (
        "ignore|disregard|forget|override|bypass",
        _order(
            r"instructions?|prompts?|rules|directions|guidelines"
            rf"|(?:above|previous|prior|preceding|earlier)\b(?!\s+(?:\w+\s+)?{_THING})"
        ),
    ),
    ("report|return|output|record|extract|set|put|enter|treat", _order(rf"{_VALUE}\s+{_SET}")),
    ("report|return|output|treat", rf"\s+the\s+{_VALUE}\s+as\b"),
    (r"you\s+are", r"\s+(?:now\s+)?(?:an?\s+)?(?:ai|assistant|chatbot|language\s+model)\b"),
    (r"as\s+an?", r"\s+(?:ai|language\s+model)\b"),
    (r"ai(?<!\wai)\s+|llm(?<!\wllm)\s+", r"(?:assistant|model|agent)s?\s*:"),
    (r"dear|note\s+to(?:\s+the)?", r"[\s,:]+(?:ai|llm|model|assistant|chatbot|language\s+model)\b"),
    ("system|developer", r"\s+(?:prompt|message|override)\b"),
    (r"new\s+instructions?", r"\s*:"),
    ("system", r"(?<!\wsystem)\s*:\s*(?:you|ignore|set)\b"),
    (r"when\s+asked", r"\s+for\s+\w+\s+\w+,\s+(?:say|answer)\b"),
    ("respond|reply|answer|output", r"\s+only\s+(?:with\b|null\b|the\s+word)"),
    (r"do\s+not\s+follow|do\s+not\s+obey", _order("instructions?|prompt|schema") + r"\b"),
    (r"do\s+not\s+extract", r"\b"),
    ("<", r"\|?(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>|</?sys>>"),
    (r"\[", r"/?inst\]"),
    (r"ignorier\w*|missachte\w*|vergiss|vergessen", _order(r"(?:anweisung|instruktion|vorgabe)\w*", 4)),
    (r"ignorez|oubliez|tenez\s+pas\s+compte\s+d\w*", _order("instructions?|consignes")),
    (r"ignor\w+|olvid\w+|dimentic\w+|esque\w+", _order("instrucciones|istruzioni|instruções")),
    ("negeer|vergeet|ignorera|glöm|ignorer", _order(r"instructies|instruktioner\w*|instrukser\w*")),
    ("zignoruj|ignoruj|pomiń", _order(r"(?:instrukcj|poleceni)\w*")),
    (r"игнориру\w+|проигнорируй\w*|забудь\w*", _order(r"(?:инструкци|указани)\w*")),
    ("忽略|无视|無視|忽视|忽視", r"[^\n。]{0,10}(?:指令|指示|说明|說明|提示)"),
    ("指示|命令|プロンプト", r"[^\n。]{0,8}(?:無視|忘れ)"),
    ("지시|명령|프롬프트", r"[^\n]{0,8}무시"),
    ("تجاهل", r"[^\n]{0,20}(?:التعليمات|الأوامر)"),
    (r"talimat\w*|komut\w*", r"\s+(?:yok\s+say|görmezden)"),
)
"""What an instruction begins with, and what follows."""
_INJECTION = Stemmed(
    (head for heads, _ in _PATTERNS for head in heads.split("|")),
    "|".join(f"(?:{heads})(?:{rest})" for heads, rest in _PATTERNS),
)


def findings(index: SourceIndex) -> Iterator[Finding]:
    """A warning for each place where the document instructs the model."""
    for number, match in enumerate(_INJECTION.finditer(index.folded.text)):
        if number == MOST:
            return
        span = index.span(*match.span())
        written = " ".join(index.text[span.start : span.end].split())
        yield Finding(
            level=Level.GROUNDING,
            rule="grounding.injection",
            severity=Severity.WARNING,
            message=f"the document instructs the model: {written!r}",
            expected="text for a reader",
            found=written,
            span=span,
        )

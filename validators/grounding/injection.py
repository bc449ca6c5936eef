"""Instructions inside a document: text that speaks to the model instead of to a reader.

A finding of severity warning. It changes no outcome by itself: the values are checked as ever.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from schemas.records import Finding, Level, Severity
from validators.grounding.index import SourceIndex

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


def _order(verbs: str, things: str, most: int = 3) -> str:
    """The pattern of a verb and its object with a few words between."""
    return rf"(?:{verbs})\s+(?:\w+\s+){{0,{most}}}?(?:{things})"


_PATTERNS = (
    _order(
        "ignore|disregard|forget|override|bypass",
        r"instructions?|prompts?|rules|directions|guidelines"
        rf"|(?:above|previous|prior|preceding|earlier)\b(?!\s+(?:\w+\s+)?{_THING})",
    ),
    _order("report|return|output|record|extract|set|put|enter|treat", rf"{_VALUE}\s+{_SET}"),
    rf"(?:report|return|output|treat)\s+the\s+{_VALUE}\s+as\b",
    r"you\s+are\s+(?:now\s+)?(?:an?\s+)?(?:ai|assistant|chatbot|language\s+model)\b",
    r"as\s+an?\s+(?:ai|language\s+model)\b|\b(?:ai|llm)\s+(?:assistant|model|agent)s?\s*:",
    r"(?:dear|note\s+to(?:\s+the)?)[\s,:]+(?:ai|llm|model|assistant|chatbot|language\s+model)\b",
    r"(?:system|developer)\s+(?:prompt|message|override)\b|new\s+instructions?\s*:",
    r"\bsystem\s*:\s*(?:you|ignore|set)\b|when\s+asked\s+for\s+\w+\s+\w+,\s+(?:say|answer)\b",
    r"(?:respond|reply|answer|output)\s+only\s+(?:with\b|null\b|the\s+word)",
    _order(r"do\s+not\s+(?:follow|obey)", "instructions?|prompt|schema") + r"\b|do\s+not\s+extract\b",
    r"<\|?(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>|\[/?inst\]|<</?sys>>",
    _order(r"ignorier\w*|missachte\w*|vergiss|vergessen", r"(?:anweisung|instruktion|vorgabe)\w*", 4),
    _order(r"ignorez|oubliez|tenez\s+pas\s+compte\s+d\w*", "instructions?|consignes"),
    _order(r"ignor\w+|olvid\w+|dimentic\w+|esque\w+", "instrucciones|istruzioni|instruções"),
    _order("negeer|vergeet|ignorera|glöm|ignorer", r"instructies|instruktioner\w*|instrukser\w*"),
    _order("zignoruj|ignoruj|pomiń", r"(?:instrukcj|poleceni)\w*"),
    _order(r"игнориру\w+|проигнорируй\w*|забудь\w*", r"(?:инструкци|указани)\w*"),
    r"(?:忽略|无视|無視|忽视|忽視)[^\n。]{0,10}(?:指令|指示|说明|說明|提示)",
    r"(?:指示|命令|プロンプト)[^\n。]{0,8}(?:無視|忘れ)|(?:지시|명령|프롬프트)[^\n]{0,8}무시",
    r"تجاهل[^\n]{0,20}(?:التعليمات|الأوامر)|(?:talimat|komut)\w*\s+(?:yok\s+say|görmezden)",
)
_INJECTION = re.compile("|".join(f"(?:{pattern})" for pattern in _PATTERNS))


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

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
_PATTERNS = (
    (
        r"(?:ignore|disregard|forget|override)\s+(?:\w+\s+){0,3}?(?:above|previous|prior|preceding|earlier|instructions?"
        r"|prompt|rules)\b"
    ),
    (
        r"(?:report|return|output|record|extract|state|give|set|enter|put)\s+(?:the\s+|a\s+)?(?:\w+\s+){0,3}?"
        r"(?:amount|total|sum|price|value|number|date|answer|result|name)\s+(?:\w+\s+){0,2}?(?:as|to)\s+[\"'$€£\d]"
    ),
    r"(?:report|return|output)\s+the\s+(?:amount|total|sum|price|value|date)\s+as\b",
    r"you\s+are\s+(?:now\s+)?(?:an?\s+)?(?:ai|assistant|chatbot|language\s+model)\b",
    r"(?:system|developer)\s+(?:prompt|message|override)\b|new\s+instructions?\s*:|note\s+to\s+(?:the\s+)?(?:ai|llm|model)\b",
    r"(?:respond|reply|answer)\s+only\s+with\b|do\s+not\s+(?:follow|obey)\s+(?:\w+\s+){0,2}?(?:instructions?|prompt|schema)\b",
    r"<\|?(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id)\|?>|\[/?inst\]|<</?sys>>",
    r"(?:ignoriere|ignorieren\s+sie|missachte)\s+(?:\w+\s+){0,3}?(?:anweisung\w*|vorherig\w*|obig\w*)",
    r"(?:ignorez|oubliez)\s+(?:\w+\s+){0,3}?(?:instructions?|consignes)|(?:ignora|ignore)\s+(?:\w+\s+){0,3}?instrucciones",
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

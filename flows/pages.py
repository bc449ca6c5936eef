"""What the HTML pages share: filling in a template, and naming its own parts in a content security policy."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from pathlib import Path

import jinja2

TEMPLATES = Path(__file__).parent / "templates"


def template(name: str) -> jinja2.Template:
    """A template that escapes all that is put into it, and refuses what it was not given."""
    return _environment().get_template(name)


@cache
def _environment() -> jinja2.Environment:
    """One for all: it keeps the templates that it compiled."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def text_of(name: str) -> str:
    """A style sheet or script that stands beside the templates."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


def digest(text: str) -> str:
    """A script's or style's hash, as a content security policy names it (CSP level 3, section 8.3)."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"

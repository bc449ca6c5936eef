"""What a person does at the desk with keys and a selection, in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page

LIT = "[...document.querySelectorAll('mark.lit')].map((one) => one.textContent)"
SELECT = """(text) => {
  const walker = document.createTreeWalker(document.getElementById('source'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.data.indexOf(text);
    if (at >= 0) return getSelection().setBaseAndExtent(node, at, node, at + text.length);
  }
  throw new Error(`not in the source: ${text}`);
}"""


def field(page: Page) -> str:
    """The pointer of the field that the keys work on."""
    return page.locator(".card.active input[name=pointer]").input_value()


def go_to(page: Page, pointer: str) -> None:
    """Press keys until that field is active."""
    for key in ["k"] * 30 + ["j"] * 30:
        if field(page) == pointer:
            return
        page.keyboard.press(key)
    raise AssertionError(f"no field {pointer}")

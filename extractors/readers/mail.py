"""Mail to text: the headers that a reader sees, then the body. Attachments are documents of their own."""

from __future__ import annotations

import email
import email.policy
import re
from collections.abc import Iterator
from email.message import EmailMessage, Message
from typing import cast

from extractors.readers.html import read_html
from extractors.readers.reading import MAX_ATTACHMENTS, Attachment, Reading
from extractors.readers.text import clean, decode
from schemas.errors import ReadError
from schemas.records import Category

_SHOWN = ("From", "To", "Cc", "Date", "Subject", "Reply-To")
_SIGNATURES = frozenset(
    ("application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature")
)
_ENVELOPES = frozenset(("application/pkcs7-mime", "application/x-pkcs7-mime"))
_MAX_DEPTH = 20


def read_mail(text: str, data: bytes) -> Reading:
    """The mail in `data`, whose decoded text is `text`. Raises ReadError."""
    try:
        reader = _Mail()
        reader.message(parsed(text, data), 0)
    except (RecursionError, LookupError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise ReadError(Category.UNREADABLE, f"The mail cannot be parsed ({error}).") from error
    return Reading(clean("\n".join(reader.lines).strip("\n") + "\n"), attachments=tuple(reader.attachments))


def parsed(text: str, data: bytes) -> EmailMessage:
    """The mail in `data`, whose decoded text is `text`; whatever is wrong with it is taken as it stands."""
    policy = email.policy.default.clone(raise_on_defect=False)
    wide = b"\0" in data[:64]  # a whole mail in UTF-16 is no mail until it is decoded
    return email.message_from_bytes(text.encode("utf-8", "replace") if wide else data, policy=policy)


def headers(message: EmailMessage) -> Iterator[tuple[str, str]]:
    """All headers in order, those of one name together, decoded and unfolded."""
    for name in dict.fromkeys(name.lower() for name in message):
        shown = next(one for one in message if one.lower() == name)
        yield from ((shown, value) for value in _headers(message, name))


class _Mail:
    """Collects the lines and attachments of a mail and of the mails that stand inside its body."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.attachments: list[Attachment] = []

    def message(self, message: EmailMessage, depth: int) -> None:
        """A mail: its headers, a blank line, its parts."""
        if depth > _MAX_DEPTH:
            raise ReadError(Category.TOO_LARGE, f"Mails lie more than {_MAX_DEPTH} deep inside this one.")
        self.lines += [f"{name}: {value}" for name in _SHOWN for value in _headers(message, name)]
        self.lines.append("")
        self.part(message, depth)

    def part(self, part: EmailMessage, depth: int) -> None:
        kind = part.get_content_type()
        if kind == "multipart/encrypted" or (
            kind in _ENVELOPES and "signed" not in _parameter(part, "smime-type")
        ):
            raise ReadError(Category.ENCRYPTED, "The mail is encrypted; save a decrypted copy.")
        if kind == "message/rfc822" and part.get_content_disposition() != "attachment" and _inner(part):
            self.message(_inner(part)[0], depth + 1)
        elif part.is_multipart() and kind != "message/rfc822":
            self.parts(part, depth)
        elif kind in _SIGNATURES:
            return
        elif kind in ("text/plain", "text/html") and not _is_attached(part):
            self.body(part)
        else:
            self.attach(part)

    def parts(self, parent: EmailMessage, depth: int) -> None:
        """A multipart's parts; of alternatives the plain text, or the last that there is."""
        children = _inner(parent)
        if parent.get_content_type() == "multipart/alternative":
            chosen = _chosen(children)
            children = [child for child in children if child is chosen or not _is_shown(child)]
        elif parent.get_content_type() == "multipart/related":
            # Pictures that the body shows by their id belong to its layout and are no attachments.
            children = [
                child
                for child in children
                if child.get_content_maintype() != "image" or not child["Content-ID"]
            ]
        for child in children:
            self.part(child, depth + 1)

    def body(self, part: EmailMessage) -> None:
        text = _content(part)
        self.lines.append(read_html(text).text if part.get_content_type() == "text/html" else text)

    def attach(self, part: EmailMessage) -> None:
        if len(self.attachments) >= MAX_ATTACHMENTS:
            raise ReadError(Category.TOO_LARGE, f"The mail carries more than {MAX_ATTACHMENTS} attachments.")
        data = _payload(part)
        if data:
            self.attachments.append(
                Attachment(_file_name(part) or part.get_content_type().replace("/", "."), data)
            )


def _headers(message: EmailMessage, name: str) -> Iterator[str]:
    """A header's values, decoded and unfolded; as it stands where it cannot be parsed."""
    try:
        values = message.get_all(name, [])
    except (ValueError, IndexError, TypeError, AttributeError, LookupError):
        values = [value for key, value in message.raw_items() if key.lower() == name.lower()]
    for value in values:
        yield re.sub(r"\s+", " ", str(value)).strip()


def _inner(part: EmailMessage) -> list[EmailMessage]:
    payload = part.get_payload()
    return [cast(EmailMessage, child) for child in payload] if isinstance(payload, list) else []


def _chosen(children: list[EmailMessage]) -> EmailMessage | None:
    """Which of the alternatives is read: plain text with something in it, else the last (RFC 2046, 5.1.4)."""
    plain = [
        child for child in children if child.get_content_type() == "text/plain" and _content(child).strip()
    ]
    shown = [child for child in children if _is_shown(child)]
    return next(iter(plain or shown[-1:]), None)


def _is_shown(part: EmailMessage) -> bool:
    return not _is_attached(part) and part.get_content_maintype() in ("text", "multipart")


def _is_attached(part: EmailMessage) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_file_name(part))


def _file_name(part: EmailMessage) -> str:
    try:
        return (part.get_filename() or "").replace("\0", "")
    except (ValueError, IndexError, TypeError, LookupError):
        return ""


def _parameter(part: EmailMessage, name: str) -> str:
    return str(part.get_param(name, "") or "").lower()


def _payload(part: EmailMessage) -> bytes:
    """A part's bytes with its transfer encoding undone; an attached mail's bytes as it was written."""
    if part.get_content_type() == "message/rfc822" and _inner(part):
        return bytes(cast(Message, _inner(part)[0]).as_bytes(policy=email.policy.compat32))
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _content(part: EmailMessage) -> str:
    """A text part's text in the declared encoding, or in what its bytes look like where that does not fit."""
    data = _payload(part)
    try:
        charset = part.get_content_charset("utf-8")
        # A mail that was in UTF-16 as a whole is UTF-8 by now, whatever its parts declare.
        return data.decode("utf-8" if charset.startswith("utf-16") and b"\0" not in data else charset)
    except (UnicodeDecodeError, LookupError):
        return decode(data) or data.decode("utf-8", "replace")

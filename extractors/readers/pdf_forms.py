"""The values typed into a PDF's form, which are not part of the page's text."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator

import pypdfium2
import pypdfium2.raw as pdfium

_KINDS = {
    pdfium.FPDF_FORMFIELD_TEXTFIELD,
    pdfium.FPDF_FORMFIELD_COMBOBOX,
    pdfium.FPDF_FORMFIELD_LISTBOX,
    pdfium.FPDF_FORMFIELD_CHECKBOX,
    pdfium.FPDF_FORMFIELD_RADIOBUTTON,
}
_SWITCHES = {pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON}


def form_values(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> str:
    """Lines `name: value` for the page's filled fields and set switches, or ""."""
    form = document.formenv
    if form is None:
        return ""
    lines = [
        line for index in range(pdfium.FPDFPage_GetAnnotCount(page)) for line in _field(form, page, index)
    ]
    return "\n" + "\n".join(dict.fromkeys(lines)) + "\n" if lines else ""


def _field(form: pypdfium2.PdfFormEnv, page: pypdfium2.PdfPage, index: int) -> Iterator[str]:
    annotation = pdfium.FPDFPage_GetAnnot(page, index)
    if not annotation:
        return
    try:
        kind = pdfium.FPDFAnnot_GetFormFieldType(form, annotation)
        name = _string(lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldName(form, annotation, buffer, size))
        value = _value(form, annotation, kind)
        if kind in _KINDS and value:
            yield f"{name}: {value}"
    finally:
        pdfium.FPDFPage_CloseAnnot(annotation)


def _value(form: pypdfium2.PdfFormEnv, annotation: pdfium.FPDF_ANNOTATION, kind: int) -> str:
    if kind not in _SWITCHES:
        return _string(
            lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, size)
        )
    if not pdfium.FPDFAnnot_IsChecked(form, annotation):
        return ""
    export = _string(
        lambda buffer, size: pdfium.FPDFAnnot_GetFormFieldExportValue(form, annotation, buffer, size)
    )
    return export or "Yes"


def _string(call: Callable[[object, int], int]) -> str:
    """A UTF-16 string from PDFium, which first tells its size in bytes."""
    size = call(None, 0)
    if size <= 2:
        return ""
    buffer = (ctypes.c_ushort * (size // 2 + 1))()
    call(buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace").strip("\0")

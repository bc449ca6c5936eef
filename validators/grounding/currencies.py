"""Currencies: the symbols, local signs and names that stand for an ISO 4217 code."""

from __future__ import annotations

from collections.abc import Mapping

SIGNS: Mapping[str, tuple[str, ...]] = {
    "EUR": ("€", "euro", "euros"),
    "USD": ("$", "us$", "dollar", "dollars"),
    "GBP": ("£", "pound", "pounds", "pounds sterling", "sterling"),
    "JPY": ("¥", "円", "yen"),
    "CNY": ("¥", "元", "rmb", "yuan", "renminbi"),
    "MYR": ("rm", "ringgit"),
    "INR": ("₹", "rs", "rupee", "rupees"),
    "CZK": ("kč", "kc", "koruna", "korun"),
    "PLN": ("zł", "zl", "złoty", "złotych"),
    "SEK": ("kr", "kronor", "krona"),
    "NOK": ("kr", "kroner", "krone"),
    "DKK": ("kr", "kroner", "krone"),
    "BRL": ("r$", "real", "reais"),
    "CHF": ("fr", "sfr", "franken", "francs", "franc suisse"),
    "KRW": ("₩", "원", "won"),
    "RUB": ("₽", "руб", "рубль", "рублей"),
    "UAH": ("₴", "грн", "гривень"),
    "TRY": ("₺", "tl", "lira"),
    "ILS": ("₪", "שח", "shekel", "shekels"),
    "THB": ("฿", "บาท", "baht"),
    "VND": ("₫", "đ", "đồng", "dong"),
    "PHP": ("₱", "peso", "pesos"),
    "NGN": ("₦", "naira"),
    "IDR": ("rp", "rupiah"),
    "HUF": ("ft", "forint"),
    "RON": ("lei", "leu"),
    "BGN": ("лв", "лева"),
    "ZAR": ("r", "rand"),
    "AUD": ("a$", "au$", "$", "dollar", "dollars"),
    "CAD": ("c$", "ca$", "$", "dollar", "dollars"),
    "NZD": ("nz$", "$", "dollar", "dollars"),
    "SGD": ("s$", "$", "dollar", "dollars"),
    "HKD": ("hk$", "$", "dollar", "dollars"),
    "TWD": ("nt$", "$", "元"),
    "MXN": ("mx$", "$", "peso", "pesos"),
    "AED": ("د.إ", "dirham", "dirhams", "dhs"),
    "SAR": ("ر.س", "sr", "riyal", "riyals"),
}
"""Code -> what is printed for it. A sign that several countries share stands under each."""


def signs(code: str) -> tuple[str, ...]:
    """What is printed for a code besides the code itself; empty for an unknown one."""
    return SIGNS.get(code.upper(), ())

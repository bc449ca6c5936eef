"""The currencies that invoices name, by ISO 4217 code, and how documents write them."""

from __future__ import annotations

from typing import Literal

Currency = Literal[
    "EUR", "USD", "GBP", "CHF", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON", "TRY", "CAD", "AUD", "NZD",
    "JPY", "CNY", "INR", "SGD", "MYR", "ZAR", "BRL", "MXN", "AED",
]  # fmt: skip

# "$" and "kr" stand for several currencies: grounding finds them for each, and says nothing of which.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "EUR": ("€", "Euro", "Euros"),
    "USD": ("$", "US$", "US dollars", "dollars"),
    "GBP": ("£", "pounds sterling", "pounds"),
    "CHF": ("Fr.", "SFr.", "Franken", "francs suisses"),
    "SEK": ("kr", "kronor"),
    "NOK": ("kr", "kroner"),
    "DKK": ("kr", "kr.", "kroner"),
    "PLN": ("zł", "złotych"),
    "CZK": ("Kč",),
    "HUF": ("Ft", "forint"),
    "RON": ("lei",),
    "TRY": ("₺", "TL"),
    "CAD": ("C$", "CA$", "$"),
    "AUD": ("A$", "AU$", "$"),
    "NZD": ("NZ$", "$"),
    "JPY": ("¥", "yen", "円"),
    "CNY": ("¥", "RMB", "元"),
    "INR": ("₹", "Rs.", "Rs"),
    "SGD": ("S$", "$"),
    "MYR": ("RM", "ringgit"),
    "ZAR": ("R", "rand"),
    "BRL": ("R$", "reais"),
    "MXN": ("MX$", "Mex$", "$", "pesos"),
    "AED": ("Dhs", "dirhams"),
}

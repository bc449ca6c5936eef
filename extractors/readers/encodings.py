"""Which legacy encoding bytes are in: a score over candidates, then charset-normalizer.

charset-normalizer alone errs on short texts (a line of cp1252 becomes cp1250, GB2312 becomes Korean), and
invoices are short. So each candidate that decodes strictly is scored by how much of its non-ASCII text
is made of the characters usual in its languages, less the words whose case changes inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import charset_normalizer

_SAMPLE = 65_536
_MARKS = "€£§°«»–—‘’“”„…•©®™"
_WESTERN = "äöüßÄÖÜéèêëàâîïôûùçÉÈÀÇñáíóúÑÁÓÍÚ¿¡ãõÃÕåæøÅÆØìòœŒ´½²³·ºªµ±"
_CENTRAL = "ąćęłńóśźżĄĆĘŁŃÓŚŹŻáčďéěíňóřšťúůýžÁČĎÉĚÍŇÓŘŠŤÚŮÝŽőűŐŰăâîşţŞŢđĐäöüßÄÖÜ"
_CYRILLIC = "".join(map(chr, range(0x410, 0x450))) + "ёЁіїєґІЇЄҐўЎ№"
_CYRILLIC_FREQUENT = frozenset("оеаинтсрвлкмОЕАИНТСРВЛКМ")
_GREEK = "".join(map(chr, range(0x391, 0x3CA))) + "άέήίόύώΆΈΉΊΌΎΏϊϋ"
_HEBREW = "".join(map(chr, range(0x5D0, 0x5EB))) + "₪"
_BALTIC = "ąčęėįšųūžĄČĘĖĮŠŲŪŽāēģīķļņĀĒĢĪĶĻŅõäöüÕÄÖÜ"
_THAI = "".join(map(chr, [*range(0xE01, 0xE3B), *range(0xE3F, 0xE5C)]))
_THAI_FREQUENT = frozenset("านรกอเงมยลวดทตสบปคห่้ีัิแะำจชข")
_ARABIC = "".join(map(chr, range(0x621, 0x64B))) + "،؛؟"
_KANA = "".join(map(chr, [*range(0x3041, 0x3094), *range(0x30A1, 0x30F7)])) + "ー、。・「」：（）円　"
_JAPANESE = _KANA + (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校"
    "語土木聞食車何南万毎白天母火右読友左休父雨請求合計額税込注文番号住所氏株式会社御様品数量単価消費領収納振込佐藤京阪田郎"
)
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
    "么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全"
    "三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产号码合计金额发票税价数量单位名称日期付款银行账户地址电话"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經"
    "麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全"
    "三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產號碼合計金額發票稅價數量單位名稱日期付款銀行帳戶地址電話"
)
_KOREAN = (
    "이다의는에을를가하고지도한은로사기자대인리시어아정나일부서해수그보주있것들과전제여장구상원라조공적스게만성안음신없세유연"
    "비마으니무동국면관였년금계산합액청구번호발행거래처품목단가량주소총부과날짜전화은행입된할며생경선물오화학회위용민했중통터간"
)


@dataclass(frozen=True, slots=True)
class _Candidate:
    encoding: str
    usual: frozenset[str]
    ideographic: bool = False
    frequent: frozenset[str] | None = None


_CANDIDATES = (
    _Candidate("cp1252", frozenset(_WESTERN + _MARKS)),
    _Candidate("iso8859-15", frozenset(_WESTERN + _MARKS)),
    _Candidate("cp1254", frozenset("çğışöüÇĞİŞÖÜâî" + _MARKS)),
    _Candidate("cp1250", frozenset(_CENTRAL + _MARKS)),
    _Candidate("iso8859-2", frozenset(_CENTRAL + _MARKS)),
    _Candidate("cp1251", frozenset(_CYRILLIC + _MARKS), frequent=_CYRILLIC_FREQUENT),
    _Candidate("koi8-r", frozenset(_CYRILLIC + _MARKS), frequent=_CYRILLIC_FREQUENT),
    _Candidate("cp866", frozenset(_CYRILLIC), frequent=_CYRILLIC_FREQUENT),
    _Candidate("iso8859-5", frozenset(_CYRILLIC), frequent=_CYRILLIC_FREQUENT),
    _Candidate("mac_cyrillic", frozenset(_CYRILLIC + _MARKS), frequent=_CYRILLIC_FREQUENT),
    _Candidate("cp874", frozenset(_THAI + _MARKS), frequent=_THAI_FREQUENT),
    _Candidate("cp1257", frozenset(_BALTIC + _MARKS)),
    _Candidate("cp1255", frozenset(_HEBREW + _MARKS)),
    _Candidate("cp1253", frozenset(_GREEK + _MARKS)),
    _Candidate("cp1256", frozenset(_ARABIC + _MARKS)),
    _Candidate("cp850", frozenset(_WESTERN)),
    _Candidate("mac_roman", frozenset(filter(str.isalpha, _WESTERN)) | frozenset(_MARKS)),
    _Candidate("cp852", frozenset(_CENTRAL)),
    _Candidate("cp932", frozenset(_JAPANESE), True),
    _Candidate("euc-jp", frozenset(_JAPANESE), True),
    _Candidate("gb18030", frozenset(_SIMPLIFIED + "，。：（）￥　"), True),
    _Candidate("big5", frozenset(_TRADITIONAL + "，。：（）　"), True),
    _Candidate("cp949", frozenset(_KOREAN), True),
)
_ENOUGH = 0.6
_SIGN_INSIDE = re.compile(r"[^\W\d_][§°£€©®™•„…][^\W\d_]")
_CASE_CHANGE = re.compile(r"[^\W\d_]+")


def legacy_encoding(data: bytes) -> str | None:
    """The most likely encoding of `data`, which is text but not Unicode; None where none fits."""
    sample = _whole_lines(data)
    scored = [
        (score, candidate.encoding) for candidate in _CANDIDATES if (score := _score(sample, candidate))
    ]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, ""))
    if best[0] >= _ENOUGH:
        return best[1]
    guess = charset_normalizer.from_bytes(sample).best()
    return guess.encoding if guess else (best[1] or None)


def _whole_lines(data: bytes) -> bytes:
    """The first part of `data`, cut behind a line end so that no character is cut."""
    if len(data) <= _SAMPLE:
        return data
    end = data.rfind(b"\n", 0, _SAMPLE)
    return data[: end if end > 0 else _SAMPLE]


def _score(sample: bytes, candidate: _Candidate) -> float:
    """0 where `sample` does not decode; else the share of usual characters, roughly 0 to 1."""
    try:
        text = sample.decode(candidate.encoding)
    except UnicodeDecodeError:
        return 0.0
    foreign = [character for character in text if character > "\x7f"]
    if not foreign:
        return 0.0
    share = sum(character in candidate.usual for character in foreign) / len(foreign)
    if candidate.ideographic:
        # A list of frequent ideographs covers a part of any text; what is not this language hits few of them.
        return min(1.0, 0.5 + share) if share >= 0.25 else share
    if candidate.frequent:
        # Any alphabet's letters read as Cyrillic or Thai; only such text is made of the frequent ones.
        share = min(
            share, 0.35 + sum(character in candidate.frequent for character in foreign) / len(foreign)
        )
    return max(0.0, share - 2 * _broken_words(text))


def _broken_words(text: str) -> float:
    """The share of words, among those with non-ASCII letters, that turn from lower to upper case inside.

    A sign between two letters ("Stra§e") breaks a word too.
    """
    words = [word for word in _CASE_CHANGE.findall(text) if not word.isascii()]
    broken = sum(any(a.islower() and b.isupper() for a, b in pairwise(word)) for word in words)
    broken += len(_SIGN_INSIDE.findall(text))
    return broken / len(words) if words else 0.0

"""Word files with citations as Zotero, Mendeley, Mendeley Cite and EndNote write them, and with comments."""

import base64
import json
from functools import cache
from io import BytesIO
from typing import Any
from xml.sax.saxutils import escape

from docx import Document

from tests.thesis.make_thesis import unzipped, zipped

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
W14 = "http://schemas.microsoft.com/office/word/2010/wordml"
W15 = "http://schemas.microsoft.com/office/word/2012/wordml"

MENON: dict[str, Any] = {
    "id": 4711,
    "type": "article-journal",
    "title": "Alder fixes nitrogen in poor soils",
    "container-title": "Journal of Forest Soils",
    "volume": "12",
    "issue": "3",
    "page": "101-119",
    "DOI": "10.1000/alder.2019.12",
    "ISSN": "1234-5678",
    "author": [{"family": "Menon", "given": "Asha"}, {"family": "Müller", "given": "Ida"}],
    "issued": {"date-parts": [["2019", 4, 2]]},
}
OKORO: dict[str, Any] = {
    "id": 4712,
    "type": "book",
    "title": "Soils & trees",
    "publisher": "Birch Press",
    "author": [{"family": "Okoro", "given": "Ngozi"}],
    "issued": {"date-parts": [[2015]]},
}


def text(words: str, format: str = "") -> str:
    """A run."""
    return f'<w:r>{format}<w:t xml:space="preserve">{escape(words)}</w:t></w:r>'


def para(*runs: str, style: str = "") -> str:
    """A paragraph."""
    format = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{format}{''.join(runs)}</w:p>"


def heading(words: str, level: int = 1) -> str:
    """A heading."""
    return para(text(words), style=f"Heading{level}")


def field(instruction: str, shown: str, *, parts: int = 3, data: str = "", inner: str = "", format: str = "") -> str:
    """A complex field. Word cuts a long instruction into several runs, here `parts`. `inner` is in the instruction."""
    step = max(1, -(-len(instruction) // parts))
    cuts = [instruction[at : at + step] for at in range(0, len(instruction), step)]
    lines = "".join(f'<w:r><w:instrText xml:space="preserve">{escape(cut)}</w:instrText></w:r>' for cut in cuts)
    hidden = f'<w:fldData xml:space="preserve">{data}</w:fldData>' if data else ""
    return (
        f'<w:r>{format}<w:fldChar w:fldCharType="begin">{hidden}</w:fldChar></w:r>{lines}{inner}'
        f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{text(shown, format)}'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )


def zotero_instruction(*items: dict[str, Any], **more: Any) -> str:
    """The instruction of a citation by Zotero."""
    schema = "https://github.com/citation-style-language/schema/raw/master/csl-citation.json"
    found = {"citationID": "aB3x", **more, "citationItems": list(items), "schema": schema}
    return f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps(found)} "


def zotero(shown: str, *items: dict[str, Any], plain: str | None = None, cut: int = 0, format: str = "") -> str:
    """A citation by Zotero; `cut`: so many characters are missing at the end of its data."""
    properties = {"formattedCitation": plain or shown, "plainCitation": plain or shown, "noteIndex": 0}
    written = zotero_instruction(*items, properties=properties)
    return field(written[: len(written) - cut] if cut else written, shown, format=format)


def zotero_item(data: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A work in a citation by Zotero."""
    address = f"http://zotero.org/users/1/items/K{data['id']}"
    return {"id": data["id"], "uris": [address], "itemData": data, **more}


def zotero_list(*entries: str) -> str:
    """The list of references that Zotero keeps in a field over several paragraphs."""
    begin = '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> ADDIN ZOTERO_BIBL '
    begin += '{"uncited":[],"omitted":[],"custom":[]} CSL_BIBLIOGRAPHY </w:instrText></w:r>'
    begin += '<w:r><w:fldChar w:fldCharType="separate"/></w:r>'
    end = '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    runs = [text(entry) for entry in entries]
    runs[0], runs[-1] = begin + runs[0], runs[-1] + end
    return "".join(para(run, style="Bibliography") for run in runs)


def mendeley(shown: str, *datas: dict[str, Any], **more: Any) -> str:
    """A citation by Mendeley Desktop, which numbers the works of each citation from ITEM-1 on."""
    items = [
        {"id": f"ITEM-{n}", "itemData": {**data, "id": f"ITEM-{n}"}, "uris": [f"http://www.mendeley.com/x/{n}{shown}"]}
        for n, data in enumerate(datas, 1)
    ]
    items[0] |= more
    found = {
        "citationItems": items,
        "mendeley": {"formattedCitation": shown, "plainTextFormattedCitation": shown},
        "properties": {"noteIndex": 0},
    }
    return field(f"ADDIN CSL_CITATION {json.dumps(found)}", shown)


def mendeley_cite(shown: str, *datas: dict[str, Any]) -> str:
    """A citation by Mendeley Cite: a content control whose tag has the data."""
    found = {
        "citationID": "MENDELEY_CITATION_1",
        "properties": {"noteIndex": 0},
        "isEdited": False,
        "manualOverride": {"isManuallyOverridden": False, "citeprocText": shown, "manualOverrideText": ""},
        "citationItems": [{"id": str(n), "itemData": data, "isTemporary": False} for n, data in enumerate(datas)],
    }
    tag = "MENDELEY_CITATION_v3_" + base64.b64encode(json.dumps(found).encode()).decode()
    head = f'<w:sdtPr><w:tag w:val="{tag}"/><w:id w:val="7"/></w:sdtPr>'
    return f"<w:sdt>{head}<w:sdtContent>{text(shown)}</w:sdtContent></w:sdt>"


RECORD = (
    '<record><rec-number>12</rec-number><foreign-keys><key app="EN" db-id="xw0e" timestamp="1">12</key></foreign-keys>'
    '<ref-type name="Journal Article">17</ref-type><contributors><authors><author>Iyer, Meera</author>'
    "<author>Soil Group,</author></authors></contributors><titles><title><style>Roots of the alder</style></title>"
    "<secondary-title>Annals of Botany</secondary-title></titles><periodical><full-title>Annals of Botany</full-title>"
    "</periodical><pages>7-19</pages><volume>4</volume><number>2</number><dates><year>2021</year></dates>"
    "<isbn>0305-7364</isbn><electronic-resource-num>10.1000/roots.2021</electronic-resource-num></record>"
)


def endnote_xml(shown: str, *, record: str = RECORD, attributes: str = "", more: str = "") -> str:
    """The data of a citation by EndNote."""
    return (
        f"<EndNote><Cite{attributes}><Author>Iyer</Author><Year>2021</Year><RecNum>12</RecNum>{more}"
        f"<DisplayText>{escape(shown)}</DisplayText>{record}</Cite></EndNote>"
    )


def endnote(shown: str, **how: str) -> str:
    """A citation by EndNote."""
    return field(f" ADDIN EN.CITE {endnote_xml(shown, **how)}", shown, parts=4)


def long_endnote(shown: str, **how: str) -> str:
    """A longer citation by EndNote, whose data are base64 in both of two fields."""
    data = base64.encodebytes(endnote_xml(shown, **how).encode() + b"\0").decode()
    begin = (
        f'<w:r><w:fldChar w:fldCharType="begin"><w:fldData xml:space="preserve">{data}</w:fldData></w:fldChar></w:r>'
    )
    inner = (
        f'{begin}<w:r><w:instrText xml:space="preserve"> ADDIN EN.CITE.DATA </w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    return field(" ADDIN EN.CITE ", shown, parts=1, data=data, inner=inner)


def comment(number: int, *runs: str) -> str:
    """Words with a comment."""
    return (
        f'<w:commentRangeStart w:id="{number}"/>{"".join(runs)}<w:commentRangeEnd w:id="{number}"/>'
        f'<w:r><w:commentReference w:id="{number}"/></w:r>'
    )


@cache
def empty_word_file() -> dict[str, bytes]:
    """The parts of a Word file without text."""
    made = BytesIO()
    Document().save(made)
    return unzipped(made.getvalue())


def word_file(*paragraphs: str, comments: list[dict[str, Any]] | None = None) -> bytes:
    """A Word file of paragraphs. A comment has author, date, text, and perhaps done and to (a number)."""
    parts = dict(empty_word_file())
    body = "".join(paragraphs)
    parts["word/document.xml"] = f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'.encode()
    if comments:
        rows = "".join(
            f'<w:comment w:id="{n}" w:author="{escape(one["author"])}" w:date="{one["date"]}">'
            f'<w:p w14:paraId="0000000{n}">{text(one["text"])}</w:p></w:comment>'
            for n, one in enumerate(comments)
        )
        answers = (f' w15:paraIdParent="0000000{one["to"]}"' if "to" in one else "" for one in comments)
        states = "".join(
            f'<w15:commentEx w15:paraId="0000000{n}"{answer} w15:done="{int(one.get("done", False))}"/>'
            for n, (one, answer) in enumerate(zip(comments, answers, strict=True))
        )
        parts["word/comments.xml"] = f'<w:comments xmlns:w="{W}" xmlns:w14="{W14}">{rows}</w:comments>'.encode()
        parts["word/commentsExtended.xml"] = f'<w15:commentsEx xmlns:w15="{W15}">{states}</w15:commentsEx>'.encode()
    return zipped(parts)

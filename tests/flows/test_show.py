"""What `safellm ask` shows of a line: its page, or its headings where there are none; and that OCR read it."""

import pytest

from flows.ask import Asked
from flows.show import show
from tasks.records import Answer, Excerpt, Line, Place, Topic


def _asked(*, paged: bool, ocr: bool) -> Asked:
    places = (Place(page=3, box=(0, 0, 1, 1)),) if paged else ()
    texts = ("Sepsis", "Do not give:", "potassium")
    lines = [
        Line(
            guideline="g", number=i, text=text, kind="prose", parent=i - 1 or None, paragraph=1, places=places, ocr=ocr
        )
        for i, text in enumerate(texts, 1)
    ]
    excerpt = Excerpt(claimed="potassium", text="potassium", lines=(3,), verdict="verbatim", label=None)
    answer = Answer(
        experiment="e", strategy="copy", question_id="q", guideline="g", outcome="answered", excerpts=(excerpt,),
        invalid_ids=(), replies=(),
    )  # fmt: skip
    topic = Topic(question_id="q", guideline="g", rationale="", reply="")
    return Asked(answer, topic, "Sepsis", lines, "model", "copy", None)


@pytest.mark.parametrize(
    ("paged", "ocr", "place"),
    [(True, False, "p. 3"), (True, True, "p. 3, OCR"), (False, False, "Sepsis > Do not give:")],
)
def test_the_place_is_the_page_or_the_headings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, paged: bool, ocr: bool, place: str
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    asked = _asked(paged=paged, ocr=ocr)
    show(asked, "What must I avoid?")
    said = capsys.readouterr().out
    assert f"potassium  ({place})" in said and "None" not in said and ("read from a picture" in said) == ocr
    assert [(line["place"], line["ocr"]) for line in asked.shown()] == [(place, ocr)]

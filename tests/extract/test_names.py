"""File names become ids; what cannot be one, or would be one twice, is refused with the remedy."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tasks.backends.pdftotext import Pdftotext
from tasks.errors import DataError, UnreadableText
from tasks.extract import document_words, same_bytes, same_text, source_of, sources

Make = Callable[..., Path]


@pytest.mark.parametrize(
    "name", ["Adult asthma.pdf", "Diabète.pdf", "脓毒症.pdf", "St John's (2024).pdf", "a_b-c.v2.pdf", "é.PDF", "7.pdf"]
)
def test_a_name_of_letters_digits_and_spaces_is_an_id(name: str) -> None:
    assert source_of(Path(name)).guideline == name[:-4]


@pytest.mark.parametrize(
    "name",
    ["a\nb.pdf", 'a"b.pdf', " a.pdf", "a .pdf", "a  b.pdf", "-rf.pdf", "..pdf", "a|b.pdf", "a;b.pdf", "$(x).pdf"],
)
def test_a_name_that_cannot_be_an_id_is_refused_with_the_remedy(name: str) -> None:
    with pytest.raises(UnreadableText, match="rename it"):
        source_of(Path(name))


def test_an_accent_stored_apart_is_the_same_id(make_pdf: Make) -> None:
    file = make_pdf("Diabe\u0300te.pdf", "Give 5 mg")
    assert {word.guideline for word in document_words(Pdftotext(60), file).words} == {"Diab\u00e8te"}


@pytest.mark.parametrize("name", ["Give 5 mg.pdf", "it's.pdf", "ünïcode.pdf", "a & b (c).pdf"])
def test_a_strange_but_possible_name_is_read(make_pdf: Make, name: str) -> None:
    assert [word.text for word in document_words(Pdftotext(60), make_pdf(name, "Give 5 mg")).words] == [
        "Give",
        "5",
        "mg",
    ]


@pytest.mark.parametrize("name", ['quo"te.pdf', "new\nline.pdf", "`id`.pdf"])
def test_an_impossible_name_is_refused_whatever_is_in_it(make_pdf: Make, name: str) -> None:
    with pytest.raises(UnreadableText, match="rename it"):
        document_words(Pdftotext(60), make_pdf(name, "Give 5 mg"))


@pytest.mark.parametrize("pair", [("a.pdf", "a.PDF"), ("a.pdf", "a.docx"), ("A.pdf", "a.txt"), ("é.pdf", "e\u0301.md")])
def test_two_files_of_one_id_are_refused_by_name(tmp_path: Path, pair: tuple[str, str]) -> None:
    for name in pair:
        (tmp_path / name).touch()
    with pytest.raises(DataError) as caught:
        sources(tmp_path)
    assert all(repr(name) in str(caught.value) for name in pair)


def test_a_folder_without_guidelines_says_what_to_put_there(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").touch()
    with pytest.raises(DataError, match="holds no guideline"):
        sources(tmp_path)


def test_the_same_file_under_two_names_is_told(make_pdf: Make) -> None:
    first = make_pdf("a.pdf", "Give 5 mg")
    second = Path(shutil.copy(first, first.with_name("b.pdf")))
    third = make_pdf("c.pdf", "Give 6 mg")
    said = same_bytes([first, second, third], lambda file: str(file.read_bytes()))
    assert len(said) == 1 and "'a.pdf' and 'b.pdf' are the same file" in said[0]


def test_the_same_text_under_two_names_is_told(make_pdf: Make) -> None:
    reader = Pdftotext(60)
    words = [
        word
        for name, text in (("a.pdf", "Give 5 mg"), ("b.pdf", "Give  5 mg"), ("c.pdf", "Give 6 mg"))
        for word in document_words(reader, make_pdf(name, text)).words
    ]
    said = same_text(words)
    assert len(said) == 1 and "'a' and 'b' hold the same text" in said[0]

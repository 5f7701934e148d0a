"""The real MedCAT, over packs that are built here of open lists."""

import csv
from pathlib import Path

import pytest

from tasks.backends.medcat import MedCAT
from tasks.backends.medcat_pack import build
from tasks.errors import DataError, ParamsError, Unavailable

ROOT = Path(__file__).resolve().parents[2]
TERMS = ROOT / "data/raw/terms/acute-care.csv"


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    destination = tmp_path_factory.mktemp("medcat") / "pack"
    assert build(TERMS, destination)
    return destination


@pytest.mark.slow
def test_the_terms_of_a_clinical_sentence_are_found_as_spans(pack: Path) -> None:
    text = "Give IV salbutamol and calcium gluconate for hyperkalaemia in acute kidney injury; ECG and troponin."
    assert MedCAT(pack).find([text, ""]) == [
        frozenset({"salbutamol", "calcium gluconate", "hyperkalaemia", "acute kidney injury", "ecg", "troponin"}),
        frozenset(),
    ]


@pytest.mark.slow
def test_spellings_are_different_spans_of_one_concept(pack: Path) -> None:
    texts = ["hyperkalaemia", "hyperkalemia"]
    assert len(set(MedCAT(pack).find(texts))) == 2
    assert len(set(MedCAT(pack, key="cui").find(texts))) == 1


@pytest.mark.slow
def test_types_can_be_chosen(pack: Path) -> None:
    assert MedCAT(pack, types=["DRUG"]).find(["salbutamol for hyperkalaemia"]) == [frozenset({"salbutamol"})]


@pytest.mark.slow
def test_a_pack_that_is_up_to_date_is_not_built_again(pack: Path) -> None:
    assert build(TERMS, pack) is False


def test_a_missing_pack_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="safellm setup"):
        MedCAT(tmp_path / "none")


def test_a_zip_without_its_checksum_is_not_loaded(tmp_path: Path) -> None:
    (tmp_path / "pack.zip").write_bytes(b"PK")
    for sum_ in (None, "0" * 64):
        with pytest.raises(ParamsError, match="not loaded"):
            MedCAT(tmp_path / "pack.zip", sum_)


def test_a_name_of_two_concepts_is_refused(tmp_path: Path) -> None:
    terms = tmp_path / "terms.csv"
    head = "cui,name,ontologies,name_status,type_ids,description\n"
    terms.write_text(head + "A,x ray|AF,O,P,LAB,\nB,af,O,P,LAB,\n", encoding="utf-8")
    with pytest.raises(DataError, match="'af' stands for 'A' and for 'B'"):
        build(terms, tmp_path / "pack")


def test_the_open_list_names_each_concept_and_each_name_once() -> None:
    with TERMS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name.lower() for row in rows for name in row["name"].split("|")]
    assert len(rows) > 300 and len(set(names)) == len(names) and len({row["cui"] for row in rows}) == len(rows)

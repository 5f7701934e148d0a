"""A PDF that needs a password is read with the one of the environment, which is shown nowhere."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from tasks.backends import bounded
from tasks.backends.pdftotext import Pdftotext
from tasks.errors import UnreadablePdf
from tasks.extract import password_of, password_variables

Make = Callable[..., Path]


def _reader(environment: dict[str, str]) -> Pdftotext:
    return Pdftotext(
        60,
        password=lambda guideline: password_of(guideline, environment),
        variables=lambda guideline: " or ".join(password_variables(guideline)),
    )


def test_without_a_password_the_variables_are_named(make_pdf: Make) -> None:
    with pytest.raises(UnreadablePdf, match="SAFELLM_PDF_PASSWORD_ADULT_SEPSIS or SAFELLM_PDF_PASSWORD in the environ"):
        _reader({}).read(make_pdf("adult sepsis.pdf", "secret", password="x"))


def test_without_any_variable_it_says_how_to_decrypt(make_pdf: Make) -> None:
    with pytest.raises(UnreadablePdf, match="qpdf --decrypt"):
        Pdftotext(60).read(make_pdf("a.pdf", "secret", password="x"))


@pytest.mark.parametrize("variable", ["SAFELLM_PDF_PASSWORD", "SAFELLM_PDF_PASSWORD_A"])
def test_with_the_password_it_is_read(make_pdf: Make, variable: str) -> None:
    words = _reader({variable: "pa ss'w\"ö"}).read(_locked(make_pdf("a.pdf", "Give 5 mg"), "pa ss'w\"ö"))
    assert [(word.guideline, word.text) for word in words] == [("a", "Give"), ("a", "5"), ("a", "mg")]


def _locked(file: Path, user: str) -> Path:
    with pikepdf.open(file, allow_overwriting_input=True) as pdf:
        pdf.save(file, encryption=pikepdf.Encryption(owner="owner", user=user))
    return file


def test_its_own_variable_goes_before_the_general_one() -> None:
    environment = {"SAFELLM_PDF_PASSWORD": "general", "SAFELLM_PDF_PASSWORD_A_B": "own"}
    assert password_of("a-b", environment) == "own" and password_of("c", environment) == "general"
    assert password_of("c", {"SAFELLM_PDF_PASSWORD": ""}) is None


def test_a_wrong_password_is_told_and_not_shown(make_pdf: Make) -> None:
    with pytest.raises(UnreadablePdf, match="does not open it") as caught:
        _reader({"SAFELLM_PDF_PASSWORD": "hunter2"}).read(make_pdf("a.pdf", "secret", password="x"))
    assert "hunter2" not in str(caught.value) and "hunter2" not in repr(caught.value.__context__)


def test_the_password_is_on_no_command_line_and_in_no_environment(
    make_pdf: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SAFELLM_PDF_PASSWORD", "hunter2")
    started: list[str] = []
    popen = subprocess.Popen

    def spy(command: Any, **how: Any) -> Any:
        started.append(repr(command) + repr(how.get("env")))
        return popen(command, **how)

    monkeypatch.setattr(bounded.subprocess, "Popen", spy)
    assert _reader({"SAFELLM_PDF_PASSWORD": "hunter2"}).read(make_pdf("a.pdf", "Give", password="hunter2"))
    assert len(started) >= 3 and not any("hunter2" in call for call in started)


def test_nothing_decrypted_is_left(make_pdf: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = make_pdf("a.pdf", "Give", password="x")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    _reader({"SAFELLM_PDF_PASSWORD": "x"}).read(file)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_password_of_the_owner_only_does_not_matter(make_pdf: Make) -> None:
    assert len(Pdftotext(60).read(_locked(make_pdf("a.pdf", "Give 5 mg"), ""))) == 3

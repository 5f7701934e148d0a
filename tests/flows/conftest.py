"""A project of two tiny guidelines, complete with code, in a folder of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests/toy"


def build_toy(target: Path, params: str) -> Path:
    """A project folder: code, pipeline, PDFs made here and now, and the MedCAT pack of the open term list."""
    import typst

    from tasks.backends.medcat_pack import build

    for name in ("flows", "tasks"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dvc.yaml", ".dvcignore"):
        shutil.copy(ROOT / name, target / name)
    shutil.copytree(ROOT / "data/raw/terms", target / "data/raw/terms")
    shutil.copytree(ROOT / "tests/golden/paper", target / "tests/golden/paper")
    (target / "data/clean").mkdir(parents=True)
    (target / "data/clean/.gitkeep").touch()
    guidelines = target / "data/raw/toy/guidelines"
    guidelines.mkdir(parents=True)
    for source in sorted(TOY.glob("*.typ")):
        typst.compile(str(source), output=str(guidelines / f"{source.stem}.pdf"), timestamp=0)
    shutil.copy(TOY / "questions.csv", target / "data/raw/toy/questions.csv")
    (target / "params.yaml").write_text(params, encoding="utf-8")
    build(target / "data/raw/terms/acute-care.csv", target / "models/medcat/acute-care")
    _command(target, "dvc", "init", "--no-scm", "--quiet")
    return target


@pytest.fixture(scope="session")
def safellm(weights_dir: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Run `safellm ...` in a project folder, with the code of that folder."""

    def call(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        return _command(folder, "flows.cli", *arguments, SAFELLM_WEIGHTS_DIR=str(weights_dir))

    return call


def _command(folder: Path, module: str, *arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
    own = {key: value for key, value in os.environ.items() if key not in ("PREFECT_HOME", "PREFECT_API_URL")}
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=folder,
        env=own | {"PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"} | extra,
        capture_output=True,
        text=True,
        check=False,
        timeout=800,
    )

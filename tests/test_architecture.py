"""The law: one word names a stage, its flow, its tasks and its data; and DVC knows all the code that it runs."""

from pathlib import Path

import grimp
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
STAGES = ["extract", "validate", "index", "embed", "topic", "retrieve", "answer", "score", "report"]
PIPELINE = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]


_DATA = ("data/", "models/", "tests/golden/")


def _body(stage: str) -> dict[str, list[str]]:
    entry = PIPELINE[stage]
    return entry.get("do", entry)


def test_the_nine_stages_are_those_of_the_pipeline() -> None:
    assert list(PIPELINE) == STAGES


@pytest.mark.parametrize("stage", STAGES)
def test_one_word_names_a_stage_its_flow_its_tasks_and_its_tests(stage: str) -> None:
    assert (ROOT / "flows" / f"{stage}.py").is_file()
    assert (ROOT / "tasks" / stage / "__init__.py").is_file()
    assert (ROOT / "tests" / stage).is_dir()
    assert f"python -m flows.{stage}" in str(_body(stage)["cmd"])


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "report"])
def test_a_stage_writes_to_folders_of_its_own_name(stage: str) -> None:
    own = [out for out in _body(stage)["outs"] if f"/{stage}/" in out or (stage == "embed" and "models/index" in out)]
    assert own == _body(stage)["outs"]


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("flows", "tasks")


@pytest.mark.parametrize("stage", STAGES)
def test_every_module_a_stage_reaches_is_among_its_deps(graph: grimp.ImportGraph, stage: str) -> None:
    reached = {f"flows.{stage}", *graph.find_upstream_modules(f"flows.{stage}")}
    deps = [dep for dep in _body(stage)["deps"] if not dep.startswith(_DATA)]
    missing = [module for module in sorted(reached) if not any(_covers(dep, module) for dep in deps)]
    assert missing == []


@pytest.mark.parametrize("stage", STAGES)
def test_every_code_dep_of_a_stage_is_reached(graph: grimp.ImportGraph, stage: str) -> None:
    reached = {f"flows.{stage}", *graph.find_upstream_modules(f"flows.{stage}")}
    deps = [dep for dep in _body(stage)["deps"] if not dep.startswith(_DATA)]
    assert [dep for dep in deps if not any(_covers(dep, module) for module in reached)] == []


def _covers(dep: str, module: str) -> bool:
    path = module.replace(".", "/")
    return dep in (f"{path}.py", path) or path.startswith(f"{dep}/")


def test_only_the_store_opens_what_is_under_data_and_models() -> None:
    allowed = {ROOT / "tasks/backends", ROOT / "tasks/store", ROOT / "tasks/prompts", ROOT / "tasks/params.py"}
    for file in (ROOT / "tasks").rglob("*.py"):
        if not any(file == place or place in file.parents for place in allowed):
            text = file.read_text(encoding="utf-8")
            for opener in (".read_text(", ".write_text(", ".read_bytes(", ".write_bytes(", " open(", "read_parquet"):
                assert opener not in text, f"{file.relative_to(ROOT)} opens a file with {opener!r}"


def test_help_needs_neither_prefect_nor_torch() -> None:
    import subprocess
    import sys

    code = "import sys, flows.cli; sys.exit(bool({'prefect', 'torch', 'polars', 'dvc'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0

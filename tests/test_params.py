"""params.yaml is refused, with the place and the nearest known word, when it names what does not exist."""

from pathlib import Path

import pytest
import yaml

from flows.leaving import refuse_leaving
from tasks.errors import ParamsError
from tasks.params import OllamaEmbedder, Params, load

ROOT = Path(__file__).resolve().parents[1]


def _with(tmp_path: Path, place: list[str], value: object) -> Path:
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    inner = raw
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    file = tmp_path / "params.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    return file


def test_the_committed_params_are_valid() -> None:
    assert "demo-full" in load(ROOT / "params.yaml").experiments


def test_an_unknown_key_is_refused_with_the_nearest_known_one(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match=r"unknown key 'retrieve.treshold'. Did you mean 'threshold'\?"):
        load(_with(tmp_path, ["retrieve", "treshold"], 0.9))


def test_an_experiment_of_an_unknown_model_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match=r"experiments.demo-full.model is 'qwen-code'.*Did you mean 'qwen-coder'\?"):
        load(_with(tmp_path, ["experiments", "demo-full", "model"], "qwen-code"))


def test_an_experiment_cannot_read_a_shortlist_that_is_not_made() -> None:
    for key, value in (("context", "shortlist"), ("union", 3)):
        raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
        raw["experiments"]["demo-full"][key] = value
        assert Params.model_validate(raw).experiments["demo-full"].reads_shortlist
        raw["retrieve"]["shortlist"] = None
        with pytest.raises(ParamsError, match=r"experiments.demo-full reads the shortlist, .*set retrieve.shortlist"):
            Params.model_validate(raw)
        raw["retrieve"]["shortlist"] = {"lines": 2}
        raw["experiments"]["demo-full"]["union"] = 3
        with pytest.raises(ParamsError, match=r"union is 3, and retrieve.shortlist.lines only 2"):
            Params.model_validate(raw)


def test_a_vote_by_sample_needs_a_model_with_a_temperature() -> None:
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    raw["experiments"]["demo-full"]["vote"] = {"of": 3, "keep": 2}
    assert Params.model_validate(raw).experiments["demo-full"].ballots("lines") == 3
    assert Params.model_validate(raw).experiments["demo-full"].ballots("copy") == 1
    raw["experiments"]["demo-full"]["vote"]["by"] = "sample"
    with pytest.raises(ParamsError, match=r"demo-full\.vote is by sample, and models\.qwen-coder has temperature 0"):
        Params.model_validate(raw)
    raw["models"]["qwen-coder"]["temperature"] = 0.7
    assert Params.model_validate(raw).models["qwen-coder"].temperature == 0.7


def test_a_shortlist_by_tokens_needs_an_embedder_that_has_them() -> None:
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    raw["embedders"]["nomic"] = {"backend": "ollama", "model": "nomic-embed-text"}
    with pytest.raises(ParamsError, match=r"Ollama gives no vectors of tokens \(embedders.nomic\): set it to 0"):
        Params.model_validate(raw)
    raw["retrieve"]["shortlist"]["tokens"] = 0
    assert "nomic" in Params.model_validate(raw).embedders


@pytest.mark.parametrize("key", ["a:b", "a/b", "a.b", ""])
def test_a_key_that_would_not_be_a_file_name_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(ParamsError):
        load(_with(tmp_path, ["datasets", key], {"open": True}))


def test_a_missing_file_says_where_to_be(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match="run this in the project's folder"):
        load(tmp_path / "params.yaml")


def _closed(host: str) -> Params:
    raw = yaml.safe_load((ROOT / "params.yaml").read_text(encoding="utf-8"))
    raw["datasets"]["demo"]["open"] = False
    raw["models"]["far"] = {"backend": "ollama", "model": "gpt-oss:120b", "host": host}
    return Params.model_validate(raw)


def _leave(params: Params) -> None:
    refuse_leaving(params, "demo", "models.far", params.models["far"])


@pytest.mark.parametrize("host", ["http://gpu.example.org:11434", "gpu.example.org", "http://127.0.0.1.example.org"])
def test_a_closed_dataset_is_not_sent_to_another_machine(host: str) -> None:
    with pytest.raises(ParamsError, match="is not open"):
        _leave(_closed(host))


@pytest.mark.parametrize("host", ["http://127.0.0.1:11434", "localhost:11434", "http://[::1]:11434"])
def test_a_closed_dataset_may_be_asked_on_this_machine(host: str) -> None:
    _leave(_closed(host))


def test_an_embedder_may_not_send_a_closed_dataset_to_another_machine_either() -> None:
    embedder = OllamaEmbedder(backend="ollama", model="nomic-embed-text", host="http://gpu.example.org:11434")
    with pytest.raises(ParamsError, match=r"embedders\.far would send it to 'http://gpu\.example\.org:11434'"):
        refuse_leaving(_closed("localhost"), "demo", "embedders.far", embedder)

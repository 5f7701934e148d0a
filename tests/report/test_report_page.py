import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tasks.records import Line
from tasks.report import DatasetRows, ExperimentRows, Study, page
from tasks.report.blocks import contexts
from tasks.report.html import flat
from tasks.report.summary import findings

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = '<script>alert("x")</script>'
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Reader(HTMLParser):
    """Collects what a page is built of, and fails on tags that do not nest."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.ids += [found["id"]] if found.get("id") else []
        self.links += [found["href"]] if tag == "a" else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def html(study: Study) -> str:
    return page(study)


def test_the_page_is_well_formed_and_no_id_is_given_twice(html: str):
    reader = Reader(html)
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))


def test_every_link_leads_to_a_place_on_the_page(html: str):
    reader = Reader(html)
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)


def test_the_page_refers_to_nothing_outside_it(html: str):
    tags = re.findall(r"<[a-z][^>]*>", html)
    assert not [tag for tag in tags if re.search(r"""=\s*["']?\s*(?:[a-z]+:)?//""", tag)]
    assert not re.search(r"url\(\s*['\"]?(?!#)", html)
    assert "@import" not in html
    assert not set(Reader(html).tags) & {"link", "img", "iframe", "object", "embed", "base"}


def test_hostile_text_is_shown_and_not_run(html: str):
    assert HOSTILE not in html
    assert html.count("&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;") > 5
    assert Reader(html).tags.count("script") == 1


def test_hostile_names_of_guidelines_do_not_reach_an_id(study: Study, dataset: DatasetRows):
    name = '"><script>x</script>'
    lines = [line.model_copy(update={"guideline": name}) for line in dataset.lines if line.guideline == "hyperkalaemia"]
    documents = [dataset.documents[0].model_copy(update={"guideline": name, "title": name})]
    changed = replace(dataset, documents=documents, lines=lines, hits={})
    html = page(replace(study, datasets={"demo": changed}))
    assert Reader(html).tags.count("script") == 1


def test_the_label_of_the_dataset_comes_before_everything_else(html: str):
    assert html.index("not for clinical use") < html.index('id="summary"')


def test_unsupported_text_is_struck_out_and_labelled(html: str):
    struck = html[html.index("<del>") :]
    assert "not in the source, never shown as an answer" in struck[: struck.index("</li>")]


def test_a_bullet_is_shown_under_its_lead_in(html: str):
    copy = html[html.index('<b class="strategy">COPY') :]
    assert copy.index("Do not:") < copy.index("give calcium through the same line")


def test_a_repaired_excerpt_shows_the_source_and_says_what_the_model_wrote(html: str):
    assert "~ repaired" in html
    assert "<q>repeat the ECG  afterwards</q>" in html


def test_missed_lines_and_invalid_ids_are_listed(html: str):
    assert "Missed lines of the reference" in html
    assert "Line numbers that do not exist, and were not used: 99." in html


def test_a_wrong_guideline_is_said_to_be_wrong(study: Study, experiment: ExperimentRows):
    topics = [topic.model_copy(update={"guideline": "acute kidney injury & more"}) for topic in experiment.topics]
    html = page(replace(study, experiments={"demo-full": replace(experiment, topics=topics)}))
    assert "✕ wrong guideline" in html
    assert "AKI, not Hyperkalaemia" in html


def test_what_was_left_out_is_listed_with_its_reason(html: str):
    assert "Left out of the lines: 1" in html
    assert "running header" in html
    assert "Left out of the index: 1" in html


def test_tables_are_read_with_captions_and_scopes(html: str):
    tables = re.findall(r"<table.*?</table>", html, flags=re.DOTALL)
    assert len(tables) > 10
    assert all("<caption>" in table and 'scope="col"' in table and 'scope="row"' in table for table in tables)


def test_a_page_without_any_results_is_still_a_page():
    html = page(Study(datasets={"demo": DatasetRows()}, experiments={}))
    assert "No experiment was run." in html
    assert "Not recorded." in html
    assert Reader(html).open == []


def test_the_page_is_the_same_byte_for_byte(study: Study):
    assert page(study) == page(study)


def test_settings_are_listed_by_their_path():
    assert list(flat({"a": {"b": 1, "c": [1, 2]}, "d": None, "e": {}, "f": True})) == [
        ("a.b", "1"), ("a.c", "1, 2"), ("d", "–"), ("e", "–"), ("f", "true"),
    ]  # fmt: skip


def test_a_summary_names_all_who_share_the_first_place(experiment: ExperimentRows):
    assert "Best balance of words (word F1): COPY and LINES, 0.64 (BASE 0.33, SAFETY 0.55)." in findings(experiment)


def test_a_summary_claims_no_difference_that_does_not_survive_adjustment(experiment: ExperimentRows):
    text = " ".join(findings(experiment))
    assert "LINES higher in word recall" in text
    assert "SAFETY lower" not in text


def test_a_summary_warns_of_few_questions(experiment: ExperimentRows):
    assert "These are 3 questions: small differences between strategies may be chance." in findings(experiment)


def test_an_excerpt_that_holds_its_lead_in_does_not_repeat_it(dataset: DatasetRows):
    known: dict[int, Line] = {line.number: line for line in dataset.lines if line.guideline == "hyperkalaemia"}
    found = contexts([known[6], known[7], known[11]], known)
    assert [([line.number for line in item.path], item.span) for item in found] == [([1, 5], "6"), ([1, 9], "11")]


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")
def test_a_browser_shows_the_page_without_a_network(html: str, tmp_path: Path):
    (tmp_path / "index.html").write_text(html, encoding="utf-8")
    shot, address = tmp_path / "page.png", (tmp_path / "index.html").as_uri()
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--window-size=500,900"]
    offline = ["--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={tmp_path / 'profile'}"]
    run = [str(BROWSER), *options, *offline]
    dom = subprocess.run([*run, "--dump-dom", address], capture_output=True, check=True, timeout=120, text=True)
    subprocess.run([*run, f"--screenshot={shot}", address], capture_output=True, check=True, timeout=120)
    assert "3 of 3 questions" in dom.stdout  # the filter ran
    assert '<form class="filter">' in dom.stdout  # and shows
    assert "CONSOLE" not in dom.stderr
    assert shot.stat().st_size > 10_000

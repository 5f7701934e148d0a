"""What the README shows is what there is."""

import re

from tests.readme import ROOT, with_table

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_stage_table_is_that_of_the_pipeline() -> None:
    assert with_table(README) == README


def test_every_path_in_the_tree_exists() -> None:
    tree = re.search(r"```tree\n(.*?)```", README, re.S)
    assert tree is not None
    paths = [line.split()[0] for line in tree[1].splitlines() if line.strip()]
    made = ("data/interim", "data/processed", "data/replies", "models/", "reports/")
    assert [path for path in paths if not path.startswith(made) and not (ROOT / path).exists()] == []

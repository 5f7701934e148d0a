"""The stage table of the README, made of dvc.yaml.

Usage: python -m tests.readme, which writes it between its two marks.
"""

from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- stages: made by `python -m tests.readme` of dvc.yaml -->", "<!-- end of stages -->"


def stage_table() -> str:
    """The table as Markdown."""
    stages = yaml.safe_load((ROOT / "dvc.yaml").read_text(encoding="utf-8"))["stages"]
    rows = ["| stage | runs once for each | what it makes | writes |", "| --- | --- | --- | --- |"]
    for name, entry in stages.items():
        body = entry.get("do", entry)
        over = str(entry.get("foreach", "")).strip("${}").removesuffix("s")
        each = over or (" x ".join(entry["matrix"]) if "matrix" in entry else "project")
        outs = ", ".join(
            f"`{str(out).replace('${key}', '*').replace('${item.', '<').replace('}', '>')}`" for out in body["outs"]
        )
        rows.append(f"| `{name}` | {each} | {body['desc']} | {outs} |")
    return "\n".join(rows)


def with_table(readme: str) -> str:
    """The README with the table as it is now."""
    head, rest = readme.split(BEGIN)
    return f"{head}{BEGIN}\n{stage_table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    path = ROOT / "README.md"
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")

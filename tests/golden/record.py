"""Record the toy project anew: a live run with the smallest model, its replies, and the tables they give when replayed.

Usage: python tests/golden/record.py [--tables], which makes the tables anew of the replies that are there.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tasks.store.replies import ReplyStore, export  # noqa: E402
from tests.flows.conftest import TOY, build_toy  # noqa: E402

TRANSCRIPT = ROOT / "tests/transcripts/toy.jsonl"


def main() -> None:
    """Write tests/transcripts/toy.jsonl and tests/golden/toy/*.md."""
    live_params = (TOY / "params.yaml").read_text(encoding="utf-8")
    replay_params = re.sub(r"tiny: \{.*\}", "tiny: {backend: replay, file: toy.jsonl}", live_params)
    with tempfile.TemporaryDirectory() as folder:
        if "--tables" not in sys.argv:
            live = _run(build_toy(Path(folder) / "live", live_params))
            replies = ReplyStore(live / "data/replies/tiny.sqlite")
            export(TRANSCRIPT, replies.entries())
            replies.close()
        replayed = build_toy(Path(folder) / "replayed", replay_params)
        shutil.copy(TRANSCRIPT, replayed / "toy.jsonl")
        tables = _run(replayed) / "reports/tables"
        golden = ROOT / "tests/golden/toy"
        shutil.rmtree(golden, ignore_errors=True)
        golden.mkdir()
        for file in sorted(tables.glob("*.md")):
            shutil.copy(file, golden / file.name)


def _run(folder: Path) -> Path:
    weights = os.environ.get("SAFELLM_WEIGHTS_DIR", str(ROOT / "models/weights"))
    environment = os.environ | {"PYTHONPATH": str(folder), "SAFELLM_WEIGHTS_DIR": weights}
    subprocess.run([sys.executable, "-m", "flows.cli", "run"], cwd=folder, env=environment, check=True)
    return folder


if __name__ == "__main__":
    main()

"""safellm run: `dvc repro` with one Prefect server that shows it."""

import os
import subprocess
import sys
from collections.abc import Sequence

from flows.budget import at_most
from flows.server import prefect_server
from flows.stage import console
from tasks import params, paths
from tasks.errors import SafeLLMError


def run(targets: Sequence[str], max_cost: float | None = None) -> None:
    """Bring every stage, or the targets, up to date, for at most `max_cost` US dollars.

    Raises SafeLLMError if a stage fails.
    """
    params.load()
    with prefect_server() as address, at_most(max_cost) as bounds:
        console.print(f"Watch the run at {address.removesuffix('/api')}", highlight=False)
        command = [sys.executable, "-m", "dvc", "repro", *targets]
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])  # noqa: PTH120
        environment = os.environ | {"PREFECT_API_URL": address, "PATH": path} | bounds
        code = subprocess.run(command, env=environment, check=False).returncode
    if code:
        raise SafeLLMError("the run stopped: mend what is named above and run it again; nothing is asked twice")
    if not targets:
        console.print(f"The report: {paths.REPORTS / 'index.html'}", highlight=False)

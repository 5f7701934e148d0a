"""safellm setup: the model's weights and the term pack, once; afterwards nothing is fetched."""

import shutil

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from flows.llms import weights_folder
from flows.stage import console
from flows.terms import medcat_pack
from tasks import paths
from tasks.backends import medcat_pack as pack
from tasks.backends import weights
from tasks.errors import Unavailable
from tasks.params import Embedded, Params


def setup(params: Params, extra: tuple[str, ...] = (), models: bool = True) -> None:
    """Bring the weights called in `extra`, and with `models` those that params.yaml names; build the term pack."""
    for tool in ("pdftotext", "pdfimages"):
        if shutil.which(tool) is None:
            raise Unavailable(f"{tool!r} is not installed: run `apt-get install poppler-utils poppler-data`")
    named = [model.weights for model in params.models.values() if models and isinstance(model, Embedded)]
    for name in dict.fromkeys([*named, *extra]):
        if name in weights.WEIGHTS:
            _fetch(name)
    if params.score.terms == "builtin":
        built = pack.build(paths.TERMS, medcat_pack())
        console.print(f"MedCAT pack: {medcat_pack()} {'built' if built else 'is up to date'}", highlight=False)


def _fetch(name: str) -> None:
    wanted = weights.WEIGHTS[name]
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed}/{task.total} parts"))
    with Progress(*columns, TimeElapsedColumn(), console=console) as bar:
        line = bar.add_task(f"{name} ({wanted.megabytes} MB)", total=wanted.parts)
        file = weights.fetch(name, weights_folder(), lambda done, _: bar.update(line, completed=done))
    console.print(f"{file}: SHA-256 verified", highlight=False)

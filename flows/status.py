"""safellm status: what is set up, what is up to date, and what is remembered."""

import subprocess
import sys

from rich.table import Table

from flows.llms import weights_folder
from flows.stage import console
from flows.terms import medcat_pack
from tasks import params as settings
from tasks import paths
from tasks.backends import weights
from tasks.params import Embedded
from tasks.store.replies import ReplyStore


def status() -> None:
    """Print two tables: models with their remembered replies, and DVC's own word on the stages."""
    params = settings.load()
    models = Table("model", "backend", "set up", "replies remembered", title="Models", title_justify="left")
    for name, model in params.models.items():
        there = "-"
        if isinstance(model, Embedded):
            there = "yes" if weights.path(model.weights, weights_folder()).is_file() else "no: run `safellm setup`"
        models.add_row(name, model.backend, there, str(_replies(name)))
    console.print(models)
    console.print(f"MedCAT pack: {'yes' if medcat_pack().is_dir() else 'no: run `safellm setup`'}", highlight=False)
    subprocess.run([sys.executable, "-m", "dvc", "status"], check=False)


def _replies(name: str) -> int:
    if not paths.replies(name).is_file():
        return 0
    store = ReplyStore(paths.replies(name))
    count = store.count()
    store.close()
    return count

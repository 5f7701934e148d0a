"""Choosing the MedCAT pack that params.yaml names."""

from pathlib import Path

from tasks import paths
from tasks.backends.medcat import MedCAT
from tasks.params import Params
from tasks.protocols import TermFinder


def open_terms(params: Params) -> TermFinder:
    """The MedCAT pack: the open one that `safellm setup` builds, or the user's own by its path."""
    settings = params.score
    path = medcat_pack() if settings.terms == "builtin" else Path(settings.terms)
    return MedCAT(path, settings.terms_sha256, settings.term_types, settings.term_key)


def medcat_pack() -> Path:
    """Where the open MedCAT pack is built."""
    return paths.MEDCAT / "acute-care"

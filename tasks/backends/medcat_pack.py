"""A real MedCAT pack out of an open term list: what `safellm setup` builds, so that no licensed vocabulary is needed."""

import hashlib
import logging
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tasks.errors import DataError


def build(terms: Path, destination: Path) -> bool:
    """Build the pack of a term list at `destination`; False if the one there was built of the same list.

    `terms` is a CSV of cui, name (names split by |), ontologies, name_status, type_ids and description. Raises
    DataError if a name stands for two concepts: an untrained model would find neither.
    """
    import pandas as pd

    mark = destination / "terms.sha256"
    digest = hashlib.sha256(terms.read_bytes()).hexdigest()
    if mark.is_file() and mark.read_text(encoding="utf-8") == digest:
        return False
    table = pd.read_csv(terms, dtype=str, keep_default_na=False)
    _refuse_ambiguous(table, terms)
    destination.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=destination.parent, prefix=".pack-") as folder:
        pack = _build(table, Path(folder))
        (pack / mark.name).write_text(digest, encoding="utf-8")
        if destination.exists():
            shutil.rmtree(destination)
        pack.replace(destination)
    return True


def _build(table: Any, folder: Path) -> Path:
    os.environ["MEDCAT_DISABLE_VERSION_CHECK"] = "true"
    from medcat.cat import CAT
    from medcat.cdb import CDB
    from medcat.config import Config
    from medcat.model_creation.cdb_maker import CDBMaker
    from medcat.vocab import Vocab

    config = Config()
    config.general.log_level = logging.ERROR
    config.general.nlp.provider = "spacy"
    config.general.nlp.modelname = str(_tokenizer(folder / "en_lookup"))
    config.general.spell_check = False
    config.components.ner.min_name_len = 2
    config.components.linking.disamb_length_limit = 2
    cdb = CDB(config)
    CDBMaker(config, cdb).prepare_csvs([table])
    _prune_ambiguous(cdb)
    CAT(cdb, Vocab(), config).save_model_pack(str(folder), pack_name="pack", add_hash_to_pack_name=False)
    return folder / "pack"


def _tokenizer(folder: Path) -> Path:
    """A blank English pipeline with a lookup lemmatizer, so that plurals match and nothing is downloaded."""
    import spacy

    pipeline = spacy.blank("en")
    pipeline.add_pipe("lemmatizer", config={"mode": "lookup"})
    pipeline.initialize()
    pipeline.to_disk(folder)
    return folder


def _prune_ambiguous(cdb: Any) -> None:
    """Names that two concepts share once lemmatised keep the first of them."""
    for name, info in cdb.name2info.items():
        _keep, *others = list(info["per_cui_status"])
        for cui in others:
            del info["per_cui_status"][cui]
            cdb.cui2info[cui]["names"].discard(name)
    cdb.is_dirty = True


def _refuse_ambiguous(table: Any, terms: Path) -> None:
    owners: dict[str, str] = {}
    for cui, names in zip(table["cui"], table["name"], strict=True):
        for name in names.lower().split("|"):
            if owners.setdefault(name, cui) != cui:
                raise DataError(
                    f"{str(terms)!r}: the name {name!r} stands for {owners[name]!r} and for {cui!r}: keep one"
                )

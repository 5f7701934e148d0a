"""MedCAT, the medical term finder of the paper, over a pack whose path the user configured."""

import hashlib
import logging
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from tasks.errors import ParamsError, Unavailable

_OTHER = re.compile(r"[^a-z0-9]+")


class MedCAT:
    """Finds terms by the pack at `path`, a folder or a zip (whose SHA-256 must then be given: a pack runs code).

    `types` keeps concepts of these type ids only (none: all); `key` is what a term is: its normalised span, or its CUI.
    """

    def __init__(
        self, path: Path, sha256: str | None = None, types: Sequence[str] = (), key: Literal["span", "cui"] = "span"
    ) -> None:
        if not path.exists():
            raise Unavailable(f"the MedCAT pack {str(path)!r} is missing: run `safellm setup`, or set score.terms")
        if path.is_file() and (sha256 is None or _sha256(path) != sha256):
            raise ParamsError(f"{str(path)!r} does not have the SHA-256 of score.terms_sha256 ({sha256!r}): not loaded")
        self._path, self._types, self._key = path, frozenset(types), key
        self._cat: Any = None

    def find(self, texts: Sequence[str]) -> list[frozenset[str]]:
        """The unique terms of each text. A text that occurs twice is annotated once."""
        found = {text: self._terms(text) for text in dict.fromkeys(texts)}
        return [found[text] for text in texts]

    def _terms(self, text: str) -> frozenset[str]:
        entities = self._load().get_entities(text).get("entities", {}) if text.strip() else {}
        chosen = [item for item in entities.values() if not self._types or self._types & set(item["type_ids"])]
        terms = {item["cui"] if self._key == "cui" else normalise(item["source_value"]) for item in chosen}
        return frozenset(terms - {""})

    def _load(self) -> Any:
        if self._cat is None:
            os.environ["MEDCAT_DISABLE_VERSION_CHECK"] = "true"
            from medcat.cat import CAT
            from medcat.pipeline.pipeline import _ENABLED_ADDONS_PATH  # the only way to load a pack without its addons

            logging.getLogger("medcat").setLevel(logging.ERROR)
            self._cat = CAT.load_model_pack(str(self._path), addon_config_dict={_ENABLED_ADDONS_PATH: []})
        return self._cat


def normalise(span: str) -> str:
    """Lower case, and every run of other characters a space."""
    return " ".join(_OTHER.sub(" ", span.lower()).split())


def _sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()

"""Cosine ranking inside every guideline, BASE's top k, the cumulative similarity mass (Tables 5, 6, A6, A7), and our
shortlist of lines."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tasks.params import Retrieve
from tasks.protocols import Matrix
from tasks.records import Hit, Question, Section, View
from tasks.retrieve.mass import cumulative_mass, kept_by_mass
from tasks.retrieve.shortlist import LineRanker

__all__ = ["LineRanker", "cumulative_mass", "kept_by_mass", "rank"]


def rank(
    questions: Sequence[Question],
    vectors: Matrix,
    sections: Sequence[Section],
    index: Any,
    view: View,
    settings: Retrieve,
) -> list[Hit]:
    """Every section's place in its guideline for every question.

    `vectors` has one normalised row a question, `index` one row a section. Ties are broken by document position.
    """
    similarity, order = index.search(vectors, len(sections))
    scores = np.empty((len(questions), len(sections)), dtype=np.float64)
    np.put_along_axis(scores, order, similarity.astype(np.float64), axis=1)
    positions: dict[str, list[int]] = {}
    for position, section in enumerate(sections):
        positions.setdefault(section.guideline, []).append(position)
    return [
        hit
        for row, question in zip(scores, questions, strict=True)
        for members in positions.values()
        for hit in _ranked(question, [sections[i] for i in members], row[members], view, settings)
    ]


def _ranked(question: Question, sections: Sequence[Section], row: Any, view: View, settings: Retrieve) -> list[Hit]:
    order = np.argsort(-row, kind="stable")
    ranked = row[order]
    mass = cumulative_mass(ranked, settings)
    kept = kept_by_mass(ranked, settings)
    return [
        Hit(
            question_id=question.question_id,
            guideline=sections[i].guideline,
            view=view,
            section_id=sections[i].section_id,
            rank=place + 1,
            similarity=float(ranked[place]),
            mass=float(mass[place]) if place < len(mass) else None,
            kept=place < kept,
        )
        for place, i in enumerate(order)
    ]

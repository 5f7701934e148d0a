"""answer: every strategy of an experiment, guideline by guideline, so that a guideline is evaluated once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from typing import TYPE_CHECKING, TypeVar

from flows.llms import call_of, concurrency, open_llm, tags_of
from flows.stage import main, step
from flows.watch import at_once, watching
from tasks import params as settings
from tasks import paths, store
from tasks.answer import (
    STRATEGIES,
    Context,
    added_lines,
    ballots,
    converse,
    counted,
    full_context,
    mass_context,
    shortlist_context,
    united,
)
from tasks.embed import VIEWS
from tasks.records import (
    Answer,
    Call,
    Document,
    Hit,
    Line,
    LineHit,
    Outcome,
    Question,
    Section,
    Sentence,
    Topic,
    View,
)

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered

Row = TypeVar("Row", Line, Sentence)


@dataclass(frozen=True)
class Answered:
    """An answer, and the calls it took."""

    answer: Answer
    calls: list[Call]


@dataclass(frozen=True)
class Cell:
    """What one task of the flow asks about one guideline: each strategy with its questions, one after the other."""

    name: str
    guideline: str
    rounds: tuple[tuple[settings.Strategy, list[Question]], ...]


class Library:
    """What the earlier stages made of one experiment's dataset, by guideline."""

    def __init__(self, params: settings.Params, experiment: str) -> None:
        self._how = params.experiments[experiment]
        self._top_k = params.retrieve.top_k
        source = paths.validate(self._how.dataset)
        self.documents = {item.guideline: item for item in store.read(source / "documents.parquet", Document)}
        self._lines = _by_guideline(store.read(source / "lines.parquet", Line))
        self._sentences = _by_guideline(store.read(source / "sentences.parquet", Sentence))
        indexed = store.read(paths.embed(self._how.embedder, self._how.dataset) / "sections.parquet", Section)
        self._sections = {(section.guideline, section.section_id): section for section in indexed}

    def lines(self, guideline: str) -> list[Line]:
        """The lines of a guideline."""
        return self._lines[guideline]

    def context(self, guideline: str, hits: Sequence[Hit], best: Sequence[LineHit]) -> Context:
        """What the strategies read of a guideline for the question whose hits these are, best first."""
        ranked = [(self._sections[guideline, hit.section_id], hit.kept) for hit in hits]
        shown = [section for section, _ in ranked[: self._top_k]]
        title, lines, sentences = self.documents[guideline].title, self._lines[guideline], self._sentences[guideline]
        if self._how.context == "full":
            context = full_context(title, lines, sentences, shown)
        elif self._how.context == "mass":
            context = mass_context(title, lines, sentences, shown, [section for section, kept in ranked if kept])
        else:
            context = shortlist_context(title, lines, sentences, shown, [hit.line for hit in best])
        return replace(context, added=added_lines(lines, [hit.line for hit in best[: self._how.union]]))


def answer(experiment: str) -> None:
    """Answer every question with every strategy; a killed run asks nothing twice, for replies are remembered.

    BASE is also answered in every view, as the experiment "<embedder>/<view>" (Table 5): it asks no model.
    """
    params = settings.load()
    how = params.experiments[experiment]
    questions = store.read(paths.validate(how.dataset) / "questions.parquet", Question)
    topics = store.read(paths.topic(experiment) / "topics.parquet", Topic)
    chosen = {topic.question_id: topic.guideline for topic in topics}
    library = Library(params, experiment)
    hits, best = _hits(how, chosen), _best(how, chosen)
    told = by_topic(questions, chosen)
    base: list[Answer] = []
    work, tags = cells(how, told), tags_of(params, how.model)
    total = sum(len(own) * how.ballots(strategy) for cell in work for strategy, own in cell.rounds)
    with open_llm(params, how.model, how.dataset) as llm, watching(f"answer {experiment}", total, llm.tally) as watch:

        def ask(cell: Cell) -> list[Answered]:
            """Every round of a cell, as one task of the flow."""

            def rounds() -> list[Answered]:
                done: list[Answered] = []
                for strategy, own in cell.rounds:
                    contexts = [
                        library.context(
                            cell.guideline, hits[how.view][question.question_id], best[question.question_id]
                        )
                        for question in own
                    ]
                    done += answer_cell(
                        experiment,
                        strategy,
                        cell.guideline,
                        own,
                        contexts,
                        llm,
                        params.answer,
                        watch,
                        how.votes(strategy),
                    )
                return done

            return step(cell.name, rounds, tags)()

        made = at_once(ask, work, concurrency(params, how.model))
        done = [item for answered in made for item in answered]
        for view, (guideline, own) in product(VIEWS, told):
            name = f"{how.embedder}/{view}"
            if guideline is None:
                base += [no_topic(name, "base", question.question_id) for question in own]
                continue
            contexts = [
                library.context(guideline, hits[view][question.question_id], best[question.question_id])
                for question in own
            ]
            found = answer_cell(name, "base", guideline, own, contexts, llm, params.answer)
            base += [item.answer for item in found]
    untold = [question for guideline, own in told if guideline is None for question in own]
    answers = [item.answer for item in done] + [
        no_topic(experiment, strategy, question.question_id) for strategy in how.strategies for question in untold
    ]
    calls = [call for item in done for call in item.calls]
    order = {question.question_id: i for i, question in enumerate(questions)}
    answers.sort(key=lambda item: (how.strategies.index(item.strategy), order[item.question_id]))
    store.write(paths.answer(experiment) / "answers.parquet", answers, Answer)
    store.write(paths.answer(experiment) / "base.parquet", base, Answer)
    store.write(paths.answer(experiment) / "calls.parquet", calls, Call)


def answer_cell(
    experiment: str,
    strategy: str,
    guideline: str,
    questions: list[Question],
    contexts: list[Context],
    llm: "Remembered",
    bounds: settings.Answer,
    ended: Callable[[], None] = lambda: None,
    vote: settings.Vote | None = None,
) -> list[Answered]:
    """One strategy over the questions of one guideline; `ended` is called for each, or for each ballot of a vote."""
    asked = zip(questions, contexts, strict=True)
    dialogues = (
        [STRATEGIES[strategy](question.question, context, bounds) for question, context in asked]
        if vote is None
        else [
            ballot
            for question, context in asked
            for ballot in ballots(STRATEGIES[strategy], question.question, context, bounds, vote)
        ]
    )
    talks = converse(dialogues, llm.reply, llm.unreadable, ended)
    each = 1 if vote is None else vote.of
    answered: list[Answered] = []
    for at, (question, context) in enumerate(zip(questions, contexts, strict=True)):
        own = talks[at * each : (at + 1) * each]
        outcome, selection = (own[0].outcome, own[0].selection) if vote is None else counted(own, vote)
        if strategy != "base":
            selection = united(selection, context)
        replies = [reply for talk in own for reply in talk.replies]
        answered.append(
            Answered(
                Answer(
                    experiment=experiment,
                    strategy=strategy,
                    question_id=question.question_id,
                    guideline=guideline,
                    outcome=outcome,
                    excerpts=selection.excerpts,
                    invalid_ids=selection.invalid_ids,
                    replies=tuple(reply.text for reply in replies),
                ),
                [call_of(experiment, strategy, question.question_id, reply) for reply in replies],
            )
        )
    return answered


def no_topic(experiment: str, strategy: str, question_id: str) -> Answer:
    """The empty answer to a question for which no guideline was chosen."""
    outcome: Outcome = "no_topic"
    return Answer(
        experiment=experiment,
        strategy=strategy,
        question_id=question_id,
        guideline=None,
        outcome=outcome,
        excerpts=(),
        invalid_ids=(),
        replies=(),
    )


def cells(how: settings.Experiment, asked: list[tuple[str | None, list[Question]]]) -> list[Cell]:
    """What is asked in one go, in the order in which prompts that begin alike follow each other.

    A whole guideline is read by all its questions, strategy after strategy. Retrieved lines are a question's own, so
    all strategies read them before the next question. JUNIOR goes first, for its drafts read nothing.
    """
    strategies = sorted(how.strategies, key=lambda strategy: strategy != "junior")
    told = [(guideline, own) for guideline, own in asked if guideline is not None]
    if how.context == "full":
        return [
            Cell(f"{strategy} {guideline}", guideline, ((strategy, own),))
            for guideline, own in told
            for strategy in strategies
        ]
    return [
        Cell(guideline, guideline, tuple((strategy, [question]) for question in own for strategy in strategies))
        for guideline, own in told
    ]


def by_topic(questions: list[Question], chosen: Mapping[str, str | None]) -> list[tuple[str | None, list[Question]]]:
    """The questions of each guideline that was chosen, in the order in which the guidelines come up."""
    found: dict[str | None, list[Question]] = {}
    for question in questions:
        found.setdefault(chosen[question.question_id], []).append(question)
    return list(found.items())


def _hits(how: settings.Experiment, chosen: dict[str, str | None]) -> dict[View, dict[str, list[Hit]]]:
    """The ranking of the chosen guideline's sections in every view for every question, best first."""
    found: dict[View, dict[str, list[Hit]]] = {view: {question: [] for question in chosen} for view in VIEWS}
    own = [{"question_id": question, "guideline": name} for question, name in chosen.items() if name is not None]
    source = paths.retrieve(how.embedder, how.dataset) / "hits.parquet"
    for hit in sorted(store.read(source, Hit, own), key=lambda hit: hit.rank):
        found[hit.view][hit.question_id].append(hit)
    return found


def _best(how: settings.Experiment, chosen: dict[str, str | None]) -> dict[str, list[LineHit]]:
    """The shortlist of the chosen guideline for every question, best first; empty where the experiment reads none."""
    found: dict[str, list[LineHit]] = {question: [] for question in chosen}
    own = [{"question_id": question, "guideline": name} for question, name in chosen.items() if name is not None]
    if own and how.reads_shortlist:
        source = paths.retrieve(how.embedder, how.dataset) / "lines.parquet"
        for hit in sorted(store.read(source, LineHit, own), key=lambda hit: hit.rank):
            found[hit.question_id].append(hit)
    return found


def _by_guideline(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: list(own) for name, own in groupby(rows, key=lambda row: row.guideline)}


if __name__ == "__main__":
    main("answer", answer, ["experiment"])

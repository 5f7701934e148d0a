"""answer: every strategy of an experiment, guideline by guideline, so that a guideline is evaluated once."""

from itertools import groupby, product
from typing import TYPE_CHECKING, TypeVar

from flows.llms import call_of, open_llm
from flows.stage import main, progress, step
from tasks import params as settings
from tasks import paths, store
from tasks.answer import STRATEGIES, Context, converse, full_context, mass_context
from tasks.embed import VIEWS
from tasks.records import Answer, Call, Document, Hit, Line, Outcome, Question, Section, Sentence, Topic, View

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered

Row = TypeVar("Row", Line, Sentence)


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

    def context(self, guideline: str, hits: list[Hit]) -> Context:
        """What the strategies read of a guideline for the question whose hits these are, best first."""
        ranked = [(self._sections[guideline, hit.section_id], hit.kept) for hit in hits]
        best = [section for section, _ in ranked[: self._top_k]]
        title, lines, sentences = self.documents[guideline].title, self._lines[guideline], self._sentences[guideline]
        if self._how.context == "full":
            return full_context(title, lines, sentences, best)
        return mass_context(title, lines, sentences, best, [section for section, kept in ranked if kept])


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
    hits = _hits(how, chosen)
    by_topic = _by_topic(questions, chosen)
    cells = _cells(how, by_topic)
    answers: list[Answer] = []
    base: list[Answer] = []
    calls: list[Call] = []
    with open_llm(params, how.model, how.dataset) as llm:
        for guideline, strategy, own in progress(cells, f"answer {experiment}", len(cells)):
            if guideline is None:
                answers += [no_topic(experiment, strategy, question.question_id) for question in own]
                continue
            contexts = [library.context(guideline, hits[how.view][question.question_id]) for question in own]
            ask = step(f"{strategy} {guideline}" if len(own) > 1 else f"{strategy} {own[0].question_id}", answer_cell)
            done = ask(experiment, strategy, guideline, own, contexts, llm, params.answer)
            answers += [item for item, _ in done]
            calls += [call for _, made in done for call in made]
        for view, (guideline, own) in product(VIEWS, by_topic):
            name = f"{how.embedder}/{view}"
            if guideline is None:
                base += [no_topic(name, "base", question.question_id) for question in own]
                continue
            contexts = [library.context(guideline, hits[view][question.question_id]) for question in own]
            done = answer_cell(name, "base", guideline, own, contexts, llm, params.answer)
            base += [item for item, _ in done]
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
) -> list[tuple[Answer, list[Call]]]:
    """One strategy over the questions of one guideline."""
    dialogues = [
        STRATEGIES[strategy](question.question, context, bounds)
        for question, context in zip(questions, contexts, strict=True)
    ]
    return [
        (
            Answer(
                experiment=experiment,
                strategy=strategy,
                question_id=question.question_id,
                guideline=guideline,
                outcome=talk.outcome,
                excerpts=talk.selection.excerpts,
                invalid_ids=talk.selection.invalid_ids,
                replies=tuple(reply.text for reply in talk.replies),
            ),
            [call_of(experiment, strategy, question.question_id, reply) for reply in talk.replies],
        )
        for question, talk in zip(questions, converse(dialogues, llm.reply, llm.unreadable), strict=True)
    ]


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


def _cells(
    how: settings.Experiment, by_topic: list[tuple[str | None, list[Question]]]
) -> list[tuple[str | None, str, list[Question]]]:
    """What is asked in one go, in the order in which prompts that begin alike follow each other.

    A whole guideline is read by all its questions, strategy after strategy. Retrieved lines are a question's own, so
    all strategies read them before the next question. JUNIOR goes first, for its drafts read nothing.
    """
    strategies = sorted(how.strategies, key=lambda strategy: strategy != "junior")
    if how.context == "full":
        return [(guideline, strategy, own) for guideline, own in by_topic for strategy in strategies]
    return [
        (guideline, strategy, [question]) for guideline, own in by_topic for question in own for strategy in strategies
    ]


def _by_topic(questions: list[Question], chosen: dict[str, str | None]) -> list[tuple[str | None, list[Question]]]:
    cells: dict[str | None, list[Question]] = {}
    for question in questions:
        cells.setdefault(chosen[question.question_id], []).append(question)
    return list(cells.items())


def _hits(how: settings.Experiment, chosen: dict[str, str | None]) -> dict[View, dict[str, list[Hit]]]:
    """The ranking of the chosen guideline's sections in every view for every question, best first."""
    found: dict[View, dict[str, list[Hit]]] = {view: {question: [] for question in chosen} for view in VIEWS}
    for hit in sorted(store.read(paths.retrieve(how.embedder, how.dataset) / "hits.parquet", Hit), key=_rank):
        if hit.guideline == chosen.get(hit.question_id):
            found[hit.view][hit.question_id].append(hit)
    return found


def _rank(hit: Hit) -> int:
    return hit.rank


def _by_guideline(rows: list[Row]) -> dict[str, list[Row]]:
    return {name: list(own) for name, own in groupby(rows, key=lambda row: row.guideline)}


if __name__ == "__main__":
    main("answer", answer, ["experiment"])

"""safellm ask: one question, answered with lines of the guideline, each under the headings it stands under."""

from dataclasses import dataclass

from flows.answer import Library, answer_cell, no_topic
from flows.embedders import open_embedder
from flows.llms import open_llm
from flows.retrieve import ranked, shortlisted
from flows.topic import choose
from tasks import params as settings
from tasks import paths
from tasks.errors import ParamsError
from tasks.outline import heading_path, place_of
from tasks.records import Answer, Line, Question, Topic
from tasks.topic import proposed


@dataclass(frozen=True)
class Asked:
    """The answer, the topic it was found under, and the guideline's lines."""

    answer: Answer
    topic: Topic
    title: str | None
    lines: list[Line]
    model: str
    strategy: str
    label: str | None

    def shown(self) -> list[dict[str, object]]:
        """The source lines that answer, each with its number, text, place, path and verdict, in the order chosen."""
        known = {line.number: line for line in self.lines}
        chosen = {
            number: excerpt
            for excerpt in self.answer.excerpts
            if excerpt.verdict != "unsupported"
            for number in excerpt.lines
        }
        return [
            {
                "number": number,
                "text": known[number].text,
                "page": known[number].page,
                "place": place_of(known[number], self.lines),
                "ocr": known[number].ocr,
                "places": [place.model_dump() for place in known[number].places],
                "path": [above.text for above in heading_path(known[number], self.lines)],
                "label": excerpt.label,
                "verdict": excerpt.verdict,
            }
            for number, excerpt in chosen.items()
        ]

    def data(self) -> dict[str, object]:
        """What `--json` prints."""
        unsupported = [item.claimed for item in self.answer.excerpts if item.verdict == "unsupported"]
        return {
            "guideline": self.answer.guideline,
            "title": self.title,
            "rationale": self.topic.rationale,
            "outcome": self.answer.outcome,
            "lines": self.shown(),
            "unsupported": unsupported,
            "invalid_ids": list(self.answer.invalid_ids),
            "model": self.model,
            "strategy": self.strategy,
            "label": self.label,
        }


def ask(text: str, experiment: str | None, dataset: str | None, strategy: str | None) -> Asked:
    """Choose the guideline, then the lines. Raises SafeLLMError; the index must have been made by a run."""
    params = settings.load()
    name = _experiment(params, experiment, dataset)
    how, chosen = params.experiments[name], strategy or params.ask.strategy
    library, label = Library(params, name), params.datasets[how.dataset].label
    titles = {guideline: document.title for guideline, document in library.documents.items()}
    question = Question(question_id="asked", guideline="", question=text, reference="", gold_lines=())
    with (
        open_llm(params, how.model, how.dataset) as llm,
        open_embedder(params, how.embedder, how.dataset) as embedder,
    ):
        found = ranked([question], embedder, paths.embed(how.embedder, how.dataset), params.retrieve)
        hits = [hit for hit in found if hit.view == how.view]
        topic, _ = choose(llm, question.question_id, text, proposed(hits, titles, params.topic.shortlist))
        if topic.guideline is None:
            nothing = no_topic(name, chosen, question.question_id)
            return Asked(nothing, topic, None, [], llm.identity, chosen, label)
        own = [hit for hit in hits if hit.guideline == topic.guideline]
        best = (
            shortlisted([question], library.lines(topic.guideline), embedder, params.retrieve.shortlist)
            if how.reads_shortlist
            else []
        )
        context = library.context(topic.guideline, own, best)
        (answered,) = answer_cell(
            name,
            chosen,
            topic.guideline,
            [question],
            [context],
            llm,
            params.answer,
            vote=how.votes(chosen),
        )
        return Asked(
            answered.answer, topic, titles[topic.guideline], library.lines(topic.guideline), llm.identity, chosen, label
        )


def _experiment(params: settings.Params, experiment: str | None, dataset: str | None) -> str:
    if experiment is not None:
        if experiment not in params.experiments:
            raise ParamsError(f"no experiment is called {experiment!r}: there are {sorted(params.experiments)}")
        return experiment
    if dataset is None or params.experiments[params.ask.experiment].dataset == dataset:
        return params.ask.experiment
    for name, how in params.experiments.items():
        if how.dataset == dataset:
            return name
    raise ParamsError(f"no experiment in params.yaml is over the dataset {dataset!r}")

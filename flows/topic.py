"""topic: the one guideline each question is about (Listing 2)."""

from typing import TYPE_CHECKING

from flows.llms import call_of, concurrency, open_llm
from flows.stage import main
from flows.watch import at_once, watching
from tasks import params as settings
from tasks import paths, store
from tasks.errors import UnknownTopic, UnreadableReply
from tasks.records import Call, Document, Hit, Question, Reply, Topic
from tasks.topic import ask_topic, proposed, read_topic

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered


def topic(experiment: str) -> None:
    """Choose a guideline for every question of the experiment's dataset."""
    params = settings.load()
    chosen = params.experiments[experiment]
    source = paths.validate(chosen.dataset)
    titles = {document.guideline: document.title for document in store.read(source / "documents.parquet", Document)}
    questions = store.read(source / "questions.parquet", Question)
    near: dict[str, list[Hit]] = {question.question_id: [] for question in questions}
    if params.topic.shortlist:
        best = [{"view": chosen.view, "rank": 1}]
        for hit in store.read(paths.retrieve(chosen.embedder, chosen.dataset) / "hits.parquet", Hit, best):
            near[hit.question_id].append(hit)
    label = f"topic {experiment}"
    with open_llm(params, chosen.model, chosen.dataset) as llm, watching(label, len(questions), llm.tally) as watch:

        def one(question: Question) -> tuple[Topic, Reply]:
            among = proposed(near[question.question_id], titles, params.topic.shortlist)
            choice = choose(llm, question.question_id, question.question, among)
            watch()
            return choice

        choices = list(at_once(one, questions, concurrency(params, chosen.model)))
    calls = [call_of(experiment, "topic", topic.question_id, reply) for topic, reply in choices]
    store.write(paths.topic(experiment) / "topics.parquet", [topic for topic, _ in choices], Topic)
    store.write(paths.topic(experiment) / "calls.parquet", calls, Call)


def choose(llm: "Remembered", question_id: str, question: str, titles: dict[str, str]) -> tuple[Topic, Reply]:
    """The topic of one question; a reply that cannot be read, or names no guideline, is a topic of None."""
    ask = ask_topic(question, titles)
    reply = llm.reply(ask)
    try:
        choice = read_topic(reply.text, titles)
        guideline: str | None = choice.guideline_id
        rationale = choice.rationale
    except (UnreadableReply, UnknownTopic) as error:
        guideline, rationale = None, str(error)
        llm.unreadable(ask)
    return Topic(question_id=question_id, guideline=guideline, rationale=rationale, reply=reply.text), reply


if __name__ == "__main__":
    main("topic", topic, ["experiment"])

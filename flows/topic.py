"""topic: the one guideline each question is about (Listing 2)."""

from typing import TYPE_CHECKING

from flows.llms import call_of, open_llm
from flows.stage import main, progress
from tasks import params as settings
from tasks import paths, store
from tasks.errors import UnknownTopic, UnreadableReply
from tasks.records import Call, Document, Question, Reply, Topic
from tasks.topic import ask_topic, read_topic

if TYPE_CHECKING:
    from tasks.backends.remembered import Remembered


def topic(experiment: str) -> None:
    """Choose a guideline for every question of the experiment's dataset."""
    params = settings.load()
    chosen = params.experiments[experiment]
    source = paths.validate(chosen.dataset)
    titles = {document.guideline: document.title for document in store.read(source / "documents.parquet", Document)}
    questions = store.read(source / "questions.parquet", Question)
    with open_llm(params, chosen.model, chosen.dataset) as llm:
        choices = [
            choose(llm, question.question_id, question.question, titles)
            for question in progress(questions, f"topic {experiment}", len(questions))
        ]
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

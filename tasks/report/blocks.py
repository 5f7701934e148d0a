"""What a page shows of a question: the answers piece by piece, each with its lines, their place and their headings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tasks.outline import heading_path
from tasks.records import Answer, Excerpt, Line, Question, Topic
from tasks.report.data import DatasetRows, ExperimentRows, Study


@dataclass(frozen=True)
class Counts:
    """Lines of the reference that were shown and missed, and other lines that were shown."""

    shown: int
    missed: int
    other: int


@dataclass(frozen=True)
class Context:
    """The headings and the lead-in that `span` (line numbers) must not be shown without."""

    path: tuple[Line, ...]
    span: str


@dataclass(frozen=True)
class Piece:
    """One excerpt with the lines it was found on; `gold` are those that are in the reference."""

    excerpt: Excerpt
    lines: tuple[Line, ...]
    contexts: tuple[Context, ...]
    gold: tuple[int, ...]

    @property
    def paths(self) -> list[tuple[Line, ...]]:
        """The headings it stands under, to tell whether the piece before it stood under the same."""
        return [context.path for context in self.contexts]

    @property
    def span(self) -> str:
        """The numbers of its lines: "3–5, 8"."""
        return spans(line.number for line in self.lines)

    @property
    def pages(self) -> str:
        """The pages of its lines, or nothing where they are not known."""
        return spans(place.page for line in self.lines for place in line.places)

    @property
    def ocr(self) -> bool:
        """Whether OCR has read any of its lines."""
        return any(line.ocr for line in self.lines)


@dataclass(frozen=True)
class AnswerBlock:
    """One answer; `gold` counts the lines of the reference, `missed` are those that it does not show."""

    answer: Answer
    pieces: tuple[Piece, ...]
    missed: tuple[Piece, ...]
    right_guideline: bool
    gold: int

    @property
    def unsupported(self) -> int:
        """How many excerpts are not in the source."""
        return sum(piece.excerpt.verdict == "unsupported" for piece in self.pieces)

    @property
    def words(self) -> int:
        """The words shown."""
        return len(self.answer.text.split())


@dataclass(frozen=True)
class Run:
    """What one experiment did with one question."""

    experiment: str
    rows: ExperimentRows
    topic: Topic | None
    answers: tuple[AnswerBlock, ...]


@dataclass(frozen=True)
class QuestionBlock:
    """One question with its runs and what a reader may look for."""

    question: Question
    gold: tuple[Piece, ...]
    runs: tuple[Run, ...]

    @property
    def flags(self) -> list[str]:
        """The troubles that any run had, as words to filter by."""
        answers = [block for run in self.runs for block in run.answers]
        wrong = any(run.topic and run.topic.guideline != self.question.guideline for run in self.runs)
        troubles = {
            "guideline": wrong,
            "missed": any(block.missed for block in answers),
            "unsupported": any(block.unsupported for block in answers),
            "invalid": any(block.answer.invalid_ids for block in answers),
            "failed": any(block.answer.outcome != "answered" for block in answers),
        }
        return [name for name, holds in troubles.items() if holds]


@dataclass(frozen=True)
class Book:
    """The guidelines of one dataset, with an anchor for every line."""

    key: int
    rows: DatasetRows

    @cached_property
    def by_guideline(self) -> Mapping[str, Mapping[int, Line]]:
        """{guideline: {number: line}}, the guidelines in the order of the documents."""
        found: dict[str, dict[int, Line]] = {document.guideline: {} for document in self.rows.documents}
        for line in self.rows.lines:
            found.setdefault(line.guideline, {})[line.number] = line
        return found

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        return {guideline: position for position, guideline in enumerate(self.by_guideline)}

    def anchor(self, guideline: str, number: int | None = None) -> str:
        """The id of a guideline or of a line: of numbers only, since a guideline's name may hold any character."""
        start = f"d{self.key}-g{self._positions.get(guideline, 'x')}"
        return start if number is None else f"{start}-l{number}"

    def title(self, guideline: str) -> str:
        """The guideline's title, or its name."""
        titles = {document.guideline: document.title for document in self.rows.documents}
        return titles.get(guideline) or guideline

    def piece(self, excerpt: Excerpt, guideline: str | None, gold: frozenset[int]) -> Piece:
        """The excerpt with its lines, their headings and those that are in the reference."""
        known = self.by_guideline.get(guideline or "", {})
        lines = tuple(known[number] for number in excerpt.lines if number in known)
        found = tuple(line.number for line in lines if line.number in gold)
        return Piece(excerpt, lines, contexts(lines, known), found)

    def gold_pieces(self, question: Question, without: Iterable[int] = ()) -> tuple[Piece, ...]:
        """The lines of the reference but for `without`, as pieces."""
        known, gold = self.by_guideline.get(question.guideline, {}), frozenset(question.gold_lines)
        return tuple(
            self.piece(_as_excerpt(known[number]), question.guideline, gold)
            for number in sorted(gold - set(without))
            if number in known
        )


def question_blocks(study: Study, dataset: str, book: Book) -> list[QuestionBlock]:
    """Every question of the dataset with what each experiment on it did."""
    experiments = {name: rows for name, rows in study.experiments.items() if rows.settings.dataset == dataset}
    topics = {name: {topic.question_id: topic for topic in rows.topics} for name, rows in experiments.items()}
    return [
        QuestionBlock(
            question=question,
            gold=book.gold_pieces(question),
            runs=tuple(
                Run(name, rows, topics[name].get(question.question_id), _answers(rows, question, book))
                for name, rows in experiments.items()
            ),
        )
        for question in study.datasets[dataset].questions
    ]


def _answers(rows: ExperimentRows, question: Question, book: Book) -> tuple[AnswerBlock, ...]:
    own = [answer for answer in rows.answers if answer.question_id == question.question_id]
    order: dict[str, int] = {strategy: place for place, strategy in enumerate(rows.settings.strategies)}
    own.sort(key=lambda answer: (order.get(answer.strategy, len(order)), answer.strategy))
    return tuple(answer_block(answer, question, book) for answer in own)


def answer_block(answer: Answer, question: Question, book: Book) -> AnswerBlock:
    """One answer with its pieces and the lines of the reference that it does not show."""
    right = answer.guideline == question.guideline
    gold = frozenset(question.gold_lines) if right else frozenset()
    return AnswerBlock(
        answer=answer,
        pieces=tuple(book.piece(excerpt, answer.guideline, gold) for excerpt in answer.excerpts),
        missed=book.gold_pieces(question, without=_shown(answer) if right else ()),
        right_guideline=right,
        gold=len(question.gold_lines),
    )


def gold_counts(answers: Sequence[Answer], questions: Sequence[Question]) -> Counts:
    """Lines of the reference shown and missed, and other lines shown, over the questions that have reference lines."""
    by_id = {question.question_id: question for question in questions if question.gold_lines}
    shown = missed = other = 0
    for answer in answers:
        question = by_id.get(answer.question_id)
        if question is None:
            continue
        gold, own = set(question.gold_lines), _shown(answer)
        hit = len(gold & own) if answer.guideline == question.guideline else 0
        shown, missed, other = shown + hit, missed + len(gold) - hit, other + len(own) - hit
    return Counts(shown, missed, other)


def contexts(lines: Sequence[Line], known: Mapping[int, Line]) -> tuple[Context, ...]:
    """The distinct paths of the lines, each with the lines under it; what the lines say themselves is not repeated."""
    own = {line.number for line in lines}
    under: dict[tuple[Line, ...], list[int]] = {}
    for line in lines:
        if line.parent is None or line.parent not in own:
            under.setdefault(tuple(heading_path(line, known.values())), []).append(line.number)
    return tuple(Context(path, spans(numbers)) for path, numbers in under.items() if path)


def spans(numbers: Iterable[int]) -> str:
    """Whole numbers as ranges, in order and once each: "3–5, 8"."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def _shown(answer: Answer) -> set[int]:
    return {number for piece in answer.excerpts if piece.verdict != "unsupported" for number in piece.lines}


def _as_excerpt(line: Line) -> Excerpt:
    return Excerpt(claimed=line.text, text=line.text, lines=(line.number,), verdict="verbatim", label=None)

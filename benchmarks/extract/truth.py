"""What the generator of a document knows of its text: every line with kind and parent, and what is no text of it."""

from dataclasses import dataclass, field

from tasks.records import Kind


@dataclass(frozen=True)
class Known:
    """One line; `parent` is the text of the line it hangs under, "" at the top. Kind and parent are None if unknown."""

    text: str
    kind: Kind | None = None
    parent: str | None = None


@dataclass
class Truth:
    """The lines of a document in reading order, and its furniture: heads, feet, contents, repeated header rows.

    A builder adds lines with `heading`, `prose` and so on; each hangs under what is open.
    """

    lines: list[Known] = field(default_factory=list)
    furniture: list[str] = field(default_factory=list)
    _headings: list[str] = field(default_factory=list)

    def top(self) -> str:
        """The heading that is open."""
        return self._headings[-1] if self._headings else ""

    def heading(self, text: str, level: int = 1) -> str:
        """A heading of a level, from 1."""
        del self._headings[level - 1 :]
        self.add(text, "heading", self.top())
        self._headings.append(text)
        return text

    def add(self, text: str, kind: Kind, parent: str | None = None) -> str:
        """Any line; below the open heading if no parent is named."""
        self.lines.append(Known(text, kind, self.top() if parent is None else parent))
        return text

    def prose(self, text: str) -> str:
        """A paragraph below the open heading."""
        return self.add(text, "prose")

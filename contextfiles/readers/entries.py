"""A reference of a BibTeX or RIS file as people read it; importing references is done elsewhere."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Work:
    """What an entry says of a work. `rest` are its other fields: a name and a value each."""

    title: str = ""
    authors: list[str] = field(default_factory=list)
    year: str = ""
    venue: list[str] = field(default_factory=list)  # journal, volume, pages ...
    doi: str = ""
    abstract: str = ""
    rest: list[tuple[str, str]] = field(default_factory=list)

    def told(self) -> str:
        """Title; authors, year and where it appeared; abstract; the rest, each on lines of its own."""
        who = "; ".join(self.authors)
        written = f"{who} ({self.year})" if who and self.year else who or self.year
        doi = f"doi:{self.doi}" if self.doi else ""
        found = ". ".join(filter(None, [written, ", ".join(filter(None, self.venue)), doi]))
        title = self.title if not self.title or self.title[-1] in ".?!" else f"{self.title}."
        named = "\n".join(f"{name}: {value}" for name, value in self.rest)
        return "\n\n".join(filter(None, ["\n".join(filter(None, [title, found])), self.abstract, named]))

    def name(self) -> str:
        """A short name for an entry without a key: "Hagen 2019"."""
        first = self.authors[0].partition(",")[0] if self.authors else ""
        return f"{first} {self.year}".strip()

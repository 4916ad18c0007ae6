"""What is wrong with the statement on the use of AI before a thesis is handed in (SPEC T9). Advice: nothing of it blocks."""

from collections.abc import Iterator
from typing import NamedTuple

from thesis.authorship.own_declaration import claims_all
from thesis.authorship.own_preamble import is_in_text
from thesis.front.facts import printed, written_in_front
from thesis.front.pages import excepted
from thesis.manuscript import Manuscript

PAGE, FORMS = "thesis:ai_use", "thesis:layout"  # names of the pages on which it is put right


class Check(NamedTuple):
    """One thing to look at; `act` are the words of the link to `page`."""

    title: str
    said: str
    page: str
    act: str


_STATEMENTS = {
    "unsaved": Check(
        "The statement on the use of AI is not confirmed",
        "Text or work of a language model is recorded for this thesis. The wording comes from the records until you save "
        "the statement, as it is or in your own words.",
        PAGE,
        "Read it",
    ),
    "older": Check(
        "The statement on the use of AI is older than the records",
        "Something was taken from a draft, changed or removed since it was saved.",
        PAGE,
        "See what changed",
    ),
}


def checks(manuscript: Manuscript) -> Iterator[Check]:
    """What is to be looked at: a statement that is missing, older than the records or not printed, a declaration of one's own."""
    use = manuscript.ai_use
    if use.state in _STATEMENTS:
        yield _STATEMENTS[use.state]
    if manuscript.is_brought:
        if use.statement and not is_in_text(manuscript):
            said = "This thesis has its own preamble and front pages. Copy the statement beside its declaration."
            yield Check("The statement on the use of AI is not in the text", said, PAGE, "Copy it")
    elif use.stands and "ai_use" not in {*printed(manuscript), *written_in_front(manuscript)}:
        said = "Its page is switched off, and words from drafts stand in the text. Switch it on, or print a form of your own."
        yield Check("The statement on the use of AI is not printed", said, FORMS, "Switch it on")
    if use.stands and claims_all(manuscript):
        said = f"It is in your text, so it was left as it is. It should call the thesis your own work{excepted(use.stands)}."
        yield Check("Your own declaration may claim more than the records show", said, PAGE, "See what stands")

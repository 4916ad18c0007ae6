"""The score of an audit in sentences: what is proven, what is refuted, what nobody looked up yet (SPEC C7)."""

import math

from django.template.defaultfilters import pluralize

from citations.audit.integrity import Audit

# How many cite commands count as what, besides those that are proven or cite files: one, several.
_SAYS = {
    "refuted": ("{} is refuted", "{} are refuted"),
    "no_entry": ("{} has no entry", "{} have no entry"),
    "unfollowed": ("{} cannot be followed", "{} cannot be followed"),
    "not_checkable": ("{} cannot be looked up", "{} cannot be looked up"),
    "to_confirm": ("{} is to be confirmed", "{} are to be confirmed"),
    "failed": ("the look-up of {} failed", "the look-up of {} failed"),
    "being_looked_up": ("{} is being looked up", "{} are being looked up"),
    "not_looked_up": ("{} is not looked up yet", "{} are not looked up yet"),
}
_EXPLAINED = {
    "refuted": "Refuted means that no registry knows the work, or that its identifier is another work’s.",
    "unfollowed": "What cannot be followed is a command of your own from which nobody can tell the key.",
    "not_checkable": "What cannot be looked up has neither a title nor an identifier.",
    "failed": "A look-up fails when a registry does not answer; it is asked again.",
}
_OPEN = {"failed": "Look-up failed", "being_looked_up": "Being looked up", "not_looked_up": "Not looked up yet"}


def percent(found: Audit) -> int | None:
    """The score as a whole number, 100 only when every command is backed. None while there is nothing it could tell of:
    nothing is cited but own files, or no answer about any work in use has come yet."""
    if headline(found):
        return None
    whole = round(found.integrity_score)
    return whole if whole < 100 else math.floor(found.integrity_score)


def headline(found: Audit) -> str:
    """What stands in the place of the score where there is none; empty where there is one."""
    if not found.total_cite_commands:
        return "Nothing cited yet"
    if not found.scored_commands:
        return "Your own files only"
    if found.scored_commands > sum(found.commands[name] for name in _OPEN):
        return ""
    return next(words for name, words in _OPEN.items() if found.commands[name])


def summary(found: Audit) -> str:
    """ "7 of 10 citations in the text are proven. 1 is refuted, 2 are not looked up yet." """
    files = found.commands["file"]
    if not found.total_cite_commands:
        return "Nothing cited yet."
    if not found.scored_commands:
        return f"{_citations(files)} in the text, to {'your own file' if files == 1 else 'your own files'}. Files are not looked up."
    proven, scored = found.backed_commands, found.scored_commands
    says = [f"{proven:,} of {_citations(scored)} in the text {'is' if proven == 1 else 'are'} proven."]
    if rest := [
        words[found.commands[name] != 1].format(f"{found.commands[name]:,}")
        for name, words in _SAYS.items()
        if found.commands[name]
    ]:
        counted = ", ".join(rest)
        says.append(f"{counted[0].upper()}{counted[1:]}.")
    says += [words for name, words in _EXPLAINED.items() if found.commands[name]]
    if files:
        says.append(f"{files:,} more cite{pluralize(files, 's,')} your own files, counted apart.")
    return " ".join(says)


def _citations(count: int) -> str:
    return f"{count:,} citation{pluralize(count)}"

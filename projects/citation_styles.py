"""The citation styles that a thesis offers, by the name of their CSL file. Any other CSL style can be searched for."""

STYLES = [
    ("apa", "APA 7"),
    ("vancouver", "Vancouver"),
    ("ieee", "IEEE"),
    ("harvard-cite-them-right", "Harvard (Cite Them Right)"),
    ("chicago-author-date", "Chicago, author and date"),
    ("american-medical-association", "AMA"),
    ("default", "Plain: number, title and link"),
]

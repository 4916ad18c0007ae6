"""A chapter of LaTeX and windows on it, for tests of the editor."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.e2e.editor_pages import Desk, desk_in

CHAPTER = r"""\section{Mortality at 28 days}\label{sec:death}

Seven trials randomised 1,703 patients \cite{sterne2020}. % check the number
Deaths were fewer
with steroids: 222 of 678, \emph{RECOVERY} among them.

Two reports of benefit in \gls{ards} point the same way, as does \SI{40}{\percent} of our own.

\begin{tikzpicture}[scale=2]
  \draw (0,0) -- (1,1); % kept exactly as written
\end{tikzpicture}

The odds ratio was $0.66$ (see Table~\ref{tab:deaths}).

\begin{equation}
  \hat\theta = \frac{\sum_i w_i y_i}{\sum_i w_i}
\end{equation}

\begin{itemize}
  \item Dexamethasone
  \item Hydrocortisone
\end{itemize}

\begin{table}[htbp]
  \centering
  \caption{Deaths at 28 days by drug.}
  \label{tab:deaths}
  \begin{tabular}{lrr}
    \toprule
    Drug & Trials & Deaths \\
    \midrule
    Dexamethasone & 3 & 166 \\
    Hydrocortisone & 3 & 43 \\
    \bottomrule
  \end{tabular}
\end{table}

\begin{figure}[htbp]
  \centering
  \includegraphics[width=0.8\textwidth]{figures/forest.png}
  \caption{Death at 28 days in seven trials.}
  \label{fig:forest}
\end{figure}

That is all\footnote{So far.}.
"""


@pytest.fixture
def results(shared_page: Page) -> Desk:
    made = desk_in(shared_page, CHAPTER)
    made.open()
    return made


@pytest.fixture
def blank(shared_page: Page) -> Desk:
    made = desk_in(shared_page)
    made.open()
    made.text.click()
    return made


def changed(words: str, to: str) -> str:
    assert CHAPTER.count(words) == 1
    return CHAPTER.replace(words, to)


def tool(page: Page, name: str) -> Any:
    return page.get_by_role("toolbar", name="Editing").get_by_role("button", name=name, exact=True)

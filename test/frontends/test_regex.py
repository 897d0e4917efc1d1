"""Tables of regular expressions accept what Python's expressions match, where both have one syntax."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from mlc.frontends.regex.automaton import match_table, search_table
from mlc.frontends.regex.syntax_tree import RegexError

RANDOM = random.Random(1)
LETTERS = "abcxyfo kKßs1_.-\näöü@wmA]"
TEXTS = [
    *("", "www.google.com", "www.hugging.com", "account@gmail.com", "a@yahoo.com!", "strasse", "straße"),
    *("foo", "a\nb", "xxyyy", "a.bbb", "a.b", "\U0001f600", "abb", "aabb", "öü", "x" * 30, "com@gmail.com "),
    *("".join(RANDOM.choices(LETTERS, k=RANDOM.randint(1, 5))) for _ in range(400)),
]
# Patterns of RE2, and of Python where it writes them otherwise.
PATTERNS = {
    r"www\.[\w.-]+\.\bcom\b": "",
    r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)": "",
    r"a*b+?c{2,3}|\d\D\s\S": "",
    r"(?i)straSSe|k|Ä": r"(?ui:straSSe|k|Ä)",
    r"(?i:x)x|(?P<n>y)y": "",
    r"[^a-c]x?": "",
    r"(?s).*": "",
    r".*": "",
    r"[[:alpha:]_]+[[:^digit:]]": r"[a-zA-Z_]+[^0-9]",
    r"\bfoo\b|\B-|a\B.": "",
    r"(?:a|b)*abb": "",
    r"ä+|[ö-ü]{2}|\x{1F600}": "ä+|[ö-ü]{2}|\U0001f600",
    r"a{0}b|": "",
    r"^$": r"\A\Z",
    r"(?m)^a$\n^b$": "",
    r"[]a]+[a\-]?": r"[\]a]+[a\-]?",
    r"(a|b|)*c?": "",
    r"x{2,}y{1,3}": "",
    r"y{,3}": r"y\{,3\}",
    r"\Qa.b\E+": r"a\.b+",
    r"\Aa\.b\z|\x41\101": r"a\.b|AA",
    r"\p{Lu}\PL": r"[A-ZÄÖÜ][^a-zA-ZäöüßK]",
}
WRONG = {
    "(": "a ( without its )",
    ")": "a ) without its (",
    "a**": "one * + ? {} after the other",
    "[a": "a [ without its ]",
    "\\": "a \\ at the end",
    "(?=a)": "(?= is not supported",
    r"(a)\1": "\\1 is not supported",
    "(?P<n": "> is missing",
    "*": "nothing precedes *",
    "a{2,1}": "{2,1} is no number of repetitions up to 1000",
    "a{1001}": "{1001} is no number of repetitions up to 1000",
    "[b-a]": "in the wrong order",
    r"\p{Greek}": "only general categories are",
    "(a|b)*a(a|b){13}": "more than 4096 states",
    "(a{1000}){1000}": "more than 20000 states",
    "[[:foo:]]": "there is no class [:foo:]",
    "(" * 200 + ")" * 200: "more than 100 deep",
}


def accepts(table: np.ndarray, text: str) -> bool:
    states, classes = table[:2].tolist()
    of_byte, accepting = table[2:258], table[258 : 258 + states]
    steps = table[258 + states :].reshape(states, classes)
    state = 0
    for byte in text.encode():
        state = steps[state, of_byte[byte]]
    return bool(accepting[state])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_what_is_accepted(pattern: str) -> None:
    table, expression = match_table(pattern), re.compile(PATTERNS[pattern] or pattern, re.ASCII)
    found = [text for text in TEXTS if accepts(table, text)]
    assert found == [text for text in TEXTS if expression.fullmatch(text)]


def test_tables_are_minimal() -> None:
    # What ends in a, in ab, in abb, in none of these, and what has other letters.
    assert match_table("(a|b)*abb")[:2].tolist() == [5, 3]
    assert match_table("(?:(?:x|y)*|[xy]*){3}")[:2].tolist() == [2, 2]


@pytest.mark.parametrize("pattern", WRONG)
def test_what_is_refused(pattern: str) -> None:
    with pytest.raises(RegexError, match=re.escape(WRONG[pattern])):
        match_table(pattern)


def found_at(table: np.ndarray, text: bytes, begin: int) -> int:
    """Returns the end of the longest match that begins at `begin`, or -1."""

    def around(index: int) -> int:
        if not 0 <= index < len(text):
            return 0
        return 1 if text[index] == 10 else 2 if re.match(rb"\w", text[index : index + 1]) else 3

    states, classes, dead = map(int, table[:3])
    class_of, accepts = table[8:264], table[264 : 264 + states]
    steps = table[264 + states :].reshape(states, classes)
    state, end = int(table[3 + around(begin - 1)]), -1
    for index in range(begin, len(text) + 1):
        if accepts[state] >> around(index) & 1:
            end = index
        if state == dead or index == len(text):
            break
        state = int(steps[state, class_of[text[index]]])
    return end


@pytest.mark.parametrize("pattern", [r"\b\w+\b", r"^\w+|\d+$", r"(?m)^[^\s]+$", r"\B\.", "a*b", "ab?|c"])
def test_searches(pattern: str) -> None:
    table, compiled = search_table(pattern), re.compile(pattern.encode())
    for text in (text.encode() for text in TEXTS if text.isascii()):
        for begin in range(len(text) + 1):
            found = compiled.match(text, begin)
            # Python has no ^ at `begin`, and sees the text before it.
            assert found_at(table, text, begin) == (found.end() if found else -1), (text, begin)

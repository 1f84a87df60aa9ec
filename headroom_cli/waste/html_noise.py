r"""Markup of web pages.

## What it does
Flags comments, `<!--.*?-->`, and tags whose name is an element of the HTML standard (obsolete ones too):
`</?NAME(?:[\s/][^<>]*)?>`, the name in lower case, or in upper case if it is longer than one letter. So `a < b`,
`List<T>`, `Vec<U>` and `<Button />` are not tags. Tags inside a comment belong to the comment. Tokens are those of the
spans set one behind the other.

## Why it matters
A fetched page is mostly markup, scripts and tracking attributes; the text that was asked for is often a tenth of it.

## Known problems
Where the task is to edit HTML, the tags are the content; in the content of a file that was read the finding is of
low confidence and nothing is avoidable. Prompts that mark sections with names that HTML has too
(`<summary>`, `<output>`) are flagged; so is `#include <map>`.

## Example
```python
"<div class='row'><span>alpha</span><!-- note --><a href='/x'>beta</a></div>" * 3
```
Flagged: 63 tokens; avoidable: 63.

## Fix
Convert pages to Markdown or text before they reach the model; ask the tool for a selector instead of a page.

## References
- https://html.spec.whatwg.org/multipage/indices.html#elements-3
- https://html.spec.whatwg.org/multipage/obsolete.html#non-conforming-features
"""

from __future__ import annotations

import re

from headroom_cli.waste.base import TEXT_KINDS, Batch, Count, Hit, joined
from headroom_cli.waste.spans import Span

NAME = "html_noise"
KINDS = TEXT_KINDS

_ELEMENTS = """
    a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption cite code col
    colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure footer form h1 h2 h3
    h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark math menu meta
    meter nav noscript object ol optgroup option output p picture pre progress q rp rt ruby s samp script search section
    select selectedcontent slot small source span strong style sub summary sup svg table tbody td template textarea
    tfoot th thead time title tr track u ul var video wbr
    acronym applet basefont bgsound big blink center dir font frame frameset image isindex keygen listing marquee
    menuitem multicol nextid nobr noembed noframes param plaintext rb rtc spacer strike tt xmp
"""
ELEMENTS = frozenset(_ELEMENTS.split())
NAMES = ELEMENTS | {name.upper() for name in ELEMENTS if len(name) > 1}
PATTERN = rf"<!--|</?(?:{'|'.join(sorted(NAMES))})(?:[\s/][^<>]*)?>"

_OPENING = re.compile(r"<(?:!--|/?([A-Za-z][A-Za-z0-9]*+)(?:[\s/][^<>]*+)?>)")

measure = joined


def scan(batch: Batch) -> dict[int, Hit]:
    """Count the tags and comments of each text that has any."""
    hits = {}
    for index in batch.matching(PATTERN):
        text = batch.texts[index]
        found = spans(text, batch.count)
        if tokens := joined(text, found, batch.count):
            # Comments without any tag stand in Markdown and templates: text, not a page.
            tagged = any(text[start + 1] != "!" for start, _ in found)
            hits[index] = Hit(tokens, tokens if tagged else 0, found)
    return hits


def spans(text: str, count: Count) -> list[Span]:
    """Comments and tags. A comment that is never closed is none."""
    found = []
    # No comment can start after the last `-->`: looking for its end again and again would be quadratic.
    last_close = text.rfind("-->")
    end = 0
    for match in _OPENING.finditer(text):
        start = match.start()
        if start < end:
            continue
        if match[1] is None:
            if match.end() > last_close:
                continue
            end = text.find("-->", match.end()) + 3
        elif match[1] in NAMES:
            end = match.end()
        else:
            continue
        found.append((start, end))
    return found

"""Where the parts of a JSON text stand."""

import json

from hypothesis import given
from hypothesis import strategies as st

from harnd.domain.review.json_lines import locate

TEXT = """\

{"a": [
  1,
  {"b": "x, y: {",
   "c": []}, "s"
 ],
 "d": {
  "e": null
 }
}
"""


def test_every_key_and_entry_has_the_line_on_which_it_begins():
    lines = locate(TEXT)
    assert {path: lines.of(path) for path in lines.paths() if path} == {
        ("a",): 2,
        ("a", 0): 3,
        ("a", 1): 4,
        ("a", 1, "b"): 4,
        ("a", 1, "c"): 5,
        ("a", 2): 5,
        ("d",): 7,
        ("d", "e"): 8,
    }
    assert lines.of(("d", "f")) == 7
    assert lines.of(("z",)) == 0


VALUES = st.recursive(
    st.none() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 1]))
def test_every_part_is_found(value: object, indent: int | None):
    found = locate(json.dumps(value, indent=indent)).paths()
    assert found == set(_paths(value, ()))


def _paths(value, path):
    yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in parts:
        yield from _paths(part, (*path, step))


@given(st.text())
def test_any_text_is_walked(text: str):
    locate(text)

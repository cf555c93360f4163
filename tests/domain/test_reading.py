"""One unambiguous object, or a reason: what counts as a model's answer."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harnd.domain.reading import LARGEST_INTEGER, Around, Note, Read, Unreadable, is_empty, is_refusal, read_object
from protocol import bounds

FENCE = "```"


def code_of(text: str) -> str:
    found = read_object(text)
    assert isinstance(found, Unreadable), found
    return found.code


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1}\r\n\t',
        '\ufeff{"a": 1}',
        f'{FENCE}json\n{{"a": 1}}\n{FENCE}\n',
        f'{FENCE}\n{{"a": 1}}\n{FENCE}',
        f'\n\n{FENCE}json\n{{"a": 1}}{FENCE}',
        '~~~~json\n{"a": 1}\n~~~~',
        'Here is my answer: {"a": 1}',
        'Here is my answer.\n\n{"a": 1}\n',
    ],
)
def test_one_object_is_read(text: str):
    assert read_object(text) == Read({"a": 1})


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("\n\n \t", "empty"),
        ("\u200b\u2060\ufeff", "empty"),
        ("<|im_end|>", "empty"),
        ("<\uff5cDEMO\uff5ctool_calls>\n</s>", "empty"),
        ("I could not find anything.", "no_object"),
        ("[1]", "not_an_object"),
        ('"{}"', "not_an_object"),
        ("null", "not_an_object"),
        ('[{"a": 1}]', "not_an_object"),
        ('{"a": 1} {"a": 2}', "several_values"),
        ('{"a": 1}\n\nHope that helps!', "trailing_text"),
        ('{"a": 1}<|im_end|>', "trailing_text"),
        (f'{FENCE}json\n{{"a": 1}}\n{FENCE}\nDone.', "syntax"),
        (f'{FENCE}json\n{{"a": 1}}\n', "syntax"),
        (f'{FENCE}\n{{"a": 1}}\n{FENCE}\n{FENCE}\n{{"a": 2}}\n{FENCE}', "trailing_text"),
        ('I looked at it. It is fine. {"a": 1}', "leading_text"),
        ('First line\nsecond line {"a": 1}', "leading_text"),
        ('Either {"a": 1} or {"a": 2}', "trailing_text"),
        ('{"a": 1', "unfinished"),
        ('{"a": "on and', "unfinished"),
        ('{"a": [1, 2', "unfinished"),
        ("{'a': 1}", "syntax"),
        ('{"a": 1,}', "syntax"),
        ('{"a": 1 // note\n}', "syntax"),
        ('{"a": NaN}', "nonfinite"),
        ('{"a": -Infinity}', "nonfinite"),
        ('{"a": 1e999}', "nonfinite"),
        ('{"a": 9007199254740993}', "integer_range"),
        ('{"a": ' + "9" * 5_000 + "}", "integer_range"),
        ('{"a": 1, "a": 2}', "duplicate_key"),
        ('{"a": 1, "\\u0061": 2}', "duplicate_key"),
        ('{"a": "one\ntwo"}', "control_char"),
        ('{"a": "\x1b[31m"}', "control_char"),
        ('{"type": "object", "properties": {"a": {"type": "string"}}}', "schema_echo"),
        ('{"$schema": "https://json-schema.org/draft/2020-12/schema"}', "schema_echo"),
        ('{"oneOf": [{"type": "object"}]}', "schema_echo"),
        ('{"name": "verdict", "strict": true, "schema": {"properties": {}, "required": []}}', "schema_echo"),
        ('{"a": "' + "x" * bounds.ANSWER_BYTES + '"}', "too_large"),
        ('{"a": "' + "\u20ac" * (bounds.ANSWER_BYTES // 2) + '"}', "too_large"),
    ],
)
def test_anything_else_has_a_reason(text: str, code: str):
    assert code_of(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "Use `print` sparingly; the doc block starts with ``` and never ends.",
        "```json\n{}\n```",
        'parts = re.findall(r"[^,]+", s) must exclude commas, } included, ] too',
        "{not an object}, // not a comment",
        "NaN, Infinity",
        "<|im_end|>",
    ],
)
@pytest.mark.parametrize("around", ["{}", FENCE + "json\n{}\n" + FENCE, "So: {}"])
def test_what_stands_inside_strings_is_never_edited(text: str, around: str):
    assert read_object(around.replace("{}", json.dumps({"text": text}))) == Read({"text": text})


def test_a_flaw_is_named_with_its_place():
    found = read_object('{"findings": [{"line": 1}, {"line": Infinity}]}')

    assert found == Unreadable("nonfinite", "Infinity is not JSON", "findings[1].line")
    assert str(found) == "findings[1].line: Infinity is not JSON [nonfinite]"


def test_a_flaw_of_the_object_is_not_looked_past():
    inner = '{"verdict": "approve"}'

    assert code_of(f'{{"note": NaN, "example": {inner}}}') == "nonfinite"


@pytest.mark.parametrize("above", ["", f"\n{FENCE}json\n", "Here it is:\n", "\ufeff\n\n"])
def test_a_line_is_that_of_the_text_as_it_was_given(above: str):
    below = f"\n{FENCE}" if FENCE in above else ""
    found = read_object(f'{above}{{"a": 1,\n"b" 2}}{below}')
    assert isinstance(found, Unreadable)
    assert found.place.startswith(f"line {above.count(chr(10)) + 2}, column 5")


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ('{"a": 1}', Around.NOTHING),
        ('\ufeff\n{"a": 1}\n', Around.NOTHING),
        (f'{FENCE}\n{{"a": 1}}\n{FENCE}\n', Around.FENCE),
        ('Here it is: {"a": 1}', Around.FENCE_OR_SENTENCE),
    ],
)
def test_whoever_reads_says_what_may_stand_around(text: str, least: Around):
    kinds = list(Around)
    read = [isinstance(read_object(text, around=around), Read) for around in kinds]
    assert read == [index >= kinds.index(least) for index in range(len(kinds))]


def test_what_cannot_be_stored_is_replaced_and_noted():
    found = read_object('{"text": "a\\ud83d \\u0000", "k\\u0000": "\\ud83d\\ude00"}')

    assert found == Read(
        {"text": "a\N{REPLACEMENT CHARACTER} \N{REPLACEMENT CHARACTER}", "k\N{REPLACEMENT CHARACTER}": "\U0001f600"},
        (Note("nul", "text"), Note("surrogate", "text"), Note("nul", "")),
    )


@pytest.mark.parametrize("opening", ['{"a":', "["])
def test_depth_is_bounded_before_anything_recurses(opening: str):
    assert code_of(opening * 200_000) == "too_deep"


def test_depth_is_allowed_up_to_its_bound():
    deep = bounds.ANSWER_DEPTH - 1

    assert isinstance(read_object('{"a":' + "[" * deep + "]" * deep + "}"), Read)
    assert code_of('{"a":' + "[" * (deep + 1) + "]" * (deep + 1) + "}") == "too_deep"


def test_brackets_in_strings_are_not_depth():
    assert isinstance(read_object(json.dumps({"a": "[" * 500 + '"' + "{" * 500})), Read)


@pytest.mark.parametrize("number", [LARGEST_INTEGER, -LARGEST_INTEGER, 0])
def test_integers_are_read_up_to_where_all_readers_agree(number: int):
    assert read_object(json.dumps({"n": number})) == Read({"n": number})
    assert code_of(json.dumps({"n": LARGEST_INTEGER + 1})) == "integer_range"


@pytest.mark.parametrize(
    "text",
    ["I'm sorry, but I can't help with that.", "I cannot assist with this request.", "Sorry, I won\u2019t do that."],
)
def test_a_refusal_in_words_is_known(text: str):
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I can't reproduce the failure, so I changed nothing.",
        "Done. I cannot help noticing that the tests were red.",
        "I cannot complete the second part because the file is missing." + " Details follow." * 100,
        "",
    ],
)
def test_in_doubt_it_is_not_a_refusal(text: str):
    assert not is_refusal(text)


def test_a_visible_character_is_not_nothing():
    assert not is_empty("<|im_end|>.")


ANY_TEXT = st.text() | st.lists(st.sampled_from([*'{}[]",:\\ \n\0', '"a"', "1", "```", "NaN", "\ud83d", "<|"])).map(
    "".join
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(ANY_TEXT)
@example('"' + "\\" * 9)
@example("{" * 70 + '"')
def test_reading_returns_whatever_the_text(text: str):
    match read_object(text):
        case Read(value=value):
            assert json.loads(json.dumps(value, allow_nan=False)) == value
        case Unreadable(code=code, message=message):
            assert code
            assert message


@given(st.dictionaries(st.text("abcxyz", min_size=1), JSON, max_size=4))
def test_whatever_is_an_object_is_read_as_it_is(value: dict[str, object]):
    text = json.dumps(value)
    found = read_object(text)

    if "\\u0000" in text:
        assert isinstance(found, Read)
        assert found.notes
    else:
        assert found == Read(json.loads(text))


@given(st.dictionaries(st.text("abcxyz", min_size=1), JSON, min_size=1, max_size=4), st.data())
def test_no_part_of_an_object_counts_as_one(value: dict[str, object], data: st.DataObject):
    text = json.dumps(value)
    cut = data.draw(st.integers(0, len(text) - 1))

    assert isinstance(read_object(text[:cut]), Unreadable)

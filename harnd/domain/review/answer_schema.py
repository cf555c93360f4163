"""The schema of a JSON answer: one object that carries the nonce, and one entry for each pair.

The same schema is shown in the prompt and checks the answer.  That each pair is there exactly once lies between its
entries, and with `settling`.
"""

from harnd.domain.review.contract import Contract, Nonce, ResultKind, Word
from harnd.domain.shapes import SCHEMA, Schema, a_line, a_list, a_word, an_object
from protocol import bounds


def answer_schema(contract: Contract, nonce: Nonce) -> Schema:
    """Build the schema of one attempt."""
    pairs = len(contract.pairs)
    properties: dict[str, Schema] = {
        "nonce": {"type": "string", "const": nonce},
        "results": a_list(_entry(contract), least=pairs, most=pairs),
    }
    optional = {"self_reported_model": a_line(bounds.MODEL_ID_CHARS)}
    return {"$schema": SCHEMA, **an_object(**properties), "properties": properties | optional}


def _entry(contract: Contract) -> Schema:
    if contract.kind is ResultKind.ASSESSMENT:
        done = an_object(**_pair(contract), result=_only(Word.ASSESSMENT), assessment=dict(contract.schema or {}))
        failed = an_object(**_pair(contract), result=_only(Word.ERROR), body=_body())
        return {"oneOf": [done, failed]}
    words = (*contract.words(), Word.ERROR)
    return an_object(**_pair(contract), result=a_word(*words), body=_body())


def _pair(contract: Contract) -> dict[str, Schema]:
    return {
        "subject": a_word(*(subject.id for subject in contract.subjects)),
        "criterion": a_word(*(criterion.key for criterion in contract.criteria)),
    }


def _only(word: Word) -> Schema:
    return {"type": "string", "const": word.value}


def _body() -> Schema:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": bounds.REVIEW_BODY_CHARS,
        "description": "a text in markdown",
    }

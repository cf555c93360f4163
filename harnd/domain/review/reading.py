"""Reading an output: from the bytes of the one file to its results, or to everything that is wrong with it.

Nothing here raises, whatever the bytes.  Nothing is truncated, repaired or guessed: a file that is too large, no UTF-8,
empty, of another task or in any part not as it was asked for is refused, and no verdict is made of that.
"""

from harnd.domain.measures import size
from harnd.domain.problem import Problem
from harnd.domain.reading import is_empty
from harnd.domain.review.contract import Codec, Contract, Nonce
from harnd.domain.review.json_codec import read_json
from harnd.domain.review.output import Malformed, Output
from harnd.domain.review.sentinel_codec import read_blocks
from protocol import bounds


def read_output(contract: Contract, nonce: Nonce, content: bytes) -> Output:
    """Read the output of the attempt that was given this nonce."""
    if len(content) > bounds.ANSWER_BYTES:
        found = f"has {size(len(content))}, expected at most {size(bounds.ANSWER_BYTES)}"
        return Malformed((Problem("too_large", "", found),))
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        return Malformed((Problem("not_utf8", "", f"is not UTF-8 at byte {error.start + 1:,}", line=line),))
    if is_empty(text):
        return Malformed((Problem("empty", "", "there is nothing in the output"),))
    reader = read_blocks if contract.codec is Codec.SENTINEL else read_json
    return reader(contract, nonce, text)

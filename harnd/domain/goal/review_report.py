"""From what a reviewer's file says to what is reported of it.

Whoever reads the file calls `read_output` off the event loop, and reports what is made of that here.
"""

import msgspec

from harnd.domain.goal.commands.review import ReviewReport
from harnd.domain.review.output import Assessed, Malformed, Output, Reviewed, WorkerError
from harnd.domain.review.panel import Opinion, read_opinion
from protocol import bounds
from protocol.values import FailureClass


def reported(report: ReviewReport, output: Output) -> ReviewReport:
    """Return a report with what an output says."""
    replace = msgspec.structs.replace
    match output:
        case Malformed(problems=problems):
            return replace(report, problems=problems)
        case WorkerError(errors=errors, self_report=model):
            said = f"the reviewer could not review: {' '.join(error.body for error in errors)}"
            return replace(
                report, failure=FailureClass.REFUSAL, detail=said[: bounds.REPORT_CHARS], self_reported_model=model
            )
        case Reviewed(results=(Assessed(value=value),), self_report=model):
            opinion = read_opinion(value)
            if isinstance(opinion, Opinion):
                return replace(report, self_reported_model=model, opinion=opinion)
            return replace(report, self_reported_model=model, problems=opinion)
        case Reviewed():
            raise AssertionError("a reviewer of plans was asked for one assessment")

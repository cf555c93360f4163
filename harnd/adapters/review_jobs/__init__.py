"""Review jobs: their private directories, on disk and in memory."""

from harnd.adapters.review_jobs.disk import DirectoryReviewJobs
from harnd.adapters.review_jobs.memory import MemoryReviewJobs

__all__ = ["DirectoryReviewJobs", "MemoryReviewJobs"]

"""Entropy: tokens that can name a review job, all different."""

import pytest

from harnd.adapters.entropy import SystemEntropy
from harnd.adapters.virtual import SeededEntropy
from harnd.domain.review.contract import JOB_TOKEN, NONCE
from harnd.ports.entropy import Entropy
from protocol.ids import matches


@pytest.mark.parametrize("entropy", [SystemEntropy(), SeededEntropy(7)], ids=["system", "seeded"])
def test_tokens_are_all_different_and_name_jobs(entropy: Entropy):
    drawn = [entropy.token() for _ in range(100)]
    assert len(set(drawn)) == 100
    assert all(matches(JOB_TOKEN, token) and matches(NONCE, token) for token in drawn)


def test_the_system_draws_anew_and_a_seed_draws_the_same():
    assert SystemEntropy().token() != SystemEntropy().token()
    assert SeededEntropy(7).token() == SeededEntropy(7).token()

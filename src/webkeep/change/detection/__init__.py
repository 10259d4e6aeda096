"""What changed between two looks at a page, and how much it matters: the cascade of evidence, categories and verdicts,
fingerprints of pages, shingles, MinHash, edit distance; and what a page does with its content in the course of time.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.change.detection.block_comparison import NoiseModel as NoiseModel, compare_blocks as compare_blocks
    from webkeep.change.detection.change_behaviour import (
        ChangeBehaviour as ChangeBehaviour,
        classify_behaviour as classify_behaviour,
    )
    from webkeep.change.detection.change_cascade import (
        ComparedPage as ComparedPage,
        compare_fingerprints as compare_fingerprints,
        compare_pages as compare_pages,
    )
    from webkeep.change.detection.change_category import (
        ChangeCategory as ChangeCategory,
        ChangeColour as ChangeColour,
        NoiseKind as NoiseKind,
    )
    from webkeep.change.detection.change_verdict import (
        ChangeEvidence as ChangeEvidence,
        ChangeVerdict as ChangeVerdict,
    )
    from webkeep.change.detection.learned_noise import (
        LearnedNoise as LearnedNoise,
        NoiseSlot as NoiseSlot,
        VersionPair as VersionPair,
        learn_noise as learn_noise,
    )
    from webkeep.change.detection.minhash import sample_hashes as sample_hashes
    from webkeep.change.detection.near_duplicates import (
        NearDuplicates as NearDuplicates,
        find_near_duplicates as find_near_duplicates,
    )
    from webkeep.change.detection.noise_file import (
        NOISE_FILE as NOISE_FILE,
        parse_noise_rules as parse_noise_rules,
    )
    from webkeep.change.detection.noise_rule import HandRule as HandRule
    from webkeep.change.detection.page_fingerprint import (
        PageFingerprint as PageFingerprint,
        fingerprint_page as fingerprint_page,
        seen_content_key as seen_content_key,
    )
    from webkeep.change.detection.shingles import (
        jaccard_similarity as jaccard_similarity,
        word_shingles as word_shingles,
    )
    from webkeep.change.detection.slow_noise import TimedPair as TimedPair, learn_slow_noise as learn_slow_noise
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "block_comparison": ("NoiseModel", "compare_blocks"),
            "change_behaviour": ("ChangeBehaviour", "classify_behaviour"),
            "change_cascade": ("ComparedPage", "compare_fingerprints", "compare_pages"),
            "change_category": ("ChangeCategory", "ChangeColour", "NoiseKind"),
            "change_verdict": ("ChangeEvidence", "ChangeVerdict"),
            "learned_noise": ("LearnedNoise", "NoiseSlot", "VersionPair", "learn_noise"),
            "minhash": ("sample_hashes",),
            "slow_noise": ("TimedPair", "learn_slow_noise"),
            "near_duplicates": ("NearDuplicates", "find_near_duplicates"),
            "noise_file": ("NOISE_FILE", "parse_noise_rules"),
            "noise_rule": ("HandRule",),
            "page_fingerprint": ("PageFingerprint", "fingerprint_page", "seen_content_key"),
            "shingles": ("jaccard_similarity", "word_shingles"),
        },
    )

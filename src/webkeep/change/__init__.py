"""Whether pages changed, and how often they do: rates from history, hints and predictors; likeness of texts."""

from webkeep.change.bins import Bins, equal_bins
from webkeep.change.decision_tree import DecisionTree
from webkeep.change.features import Features, PageFacts, Value, page_features, url_features
from webkeep.change.forest import Forest
from webkeep.change.hint import Mean, frequency_rate, http_moment, http_rate, sitemap_rate
from webkeep.change.learner import Learner, Majority, Predictor
from webkeep.change.naive_bayes import NaiveBayes
from webkeep.change.polling import (
    Poll,
    corrected_rate,
    history_rate,
    irregular_rate,
    likeliest_rate,
    naive_rate,
    polled_rate,
)
from webkeep.change.rate import Knowledge, Rate, RateSource, best_rate
from webkeep.change.shingles import (
    SAME,
    character_bag,
    character_shingles,
    hash_functions,
    signature,
    signature_similarity,
    similarity,
    word_shingles,
)
from webkeep.change.validation import RatePredictor, Score, cross_validate, learn_rates, rank_correlation
from webkeep.change.verdict import Change, Look, Verdict, Witness, compare

__all__ = [
    "SAME",
    "Bins",
    "Change",
    "DecisionTree",
    "Features",
    "Forest",
    "Knowledge",
    "Learner",
    "Look",
    "Majority",
    "Mean",
    "NaiveBayes",
    "PageFacts",
    "Poll",
    "Predictor",
    "Rate",
    "RatePredictor",
    "RateSource",
    "Score",
    "Value",
    "Verdict",
    "Witness",
    "best_rate",
    "character_bag",
    "character_shingles",
    "compare",
    "corrected_rate",
    "cross_validate",
    "equal_bins",
    "frequency_rate",
    "hash_functions",
    "history_rate",
    "http_moment",
    "http_rate",
    "irregular_rate",
    "learn_rates",
    "likeliest_rate",
    "naive_rate",
    "page_features",
    "polled_rate",
    "rank_correlation",
    "signature",
    "signature_similarity",
    "similarity",
    "sitemap_rate",
    "url_features",
    "word_shingles",
]

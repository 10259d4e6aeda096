"""Whether pages changed, and how often they do: rates from history, hints and predictors; likeness of texts."""

from webkeep.change.bins import Bins, equal_bins
from webkeep.change.category import Behaviour, Category, Colour, Difference, Version, behaviour, difference
from webkeep.change.decision_tree import DecisionTree
from webkeep.change.edits import edit_distance, edited_share
from webkeep.change.features import (
    Features,
    PageFacts,
    Value,
    page_facts,
    page_features,
    sitemap_features,
    url_features,
)
from webkeep.change.forest import Forest
from webkeep.change.frequencies import FrequencyPredictor, learn_frequencies
from webkeep.change.hint import Mean, frequency_rate, http_rate, sitemap_rate
from webkeep.change.kin import Kin
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
    weighed_rate,
)
from webkeep.change.predictor_json import read as read_predictor
from webkeep.change.predictor_json import written as written_predictor
from webkeep.change.rate import Rate, RateSource
from webkeep.change.rate_predictor import RatePredictor, learn_rates
from webkeep.change.ratebook import Foretelling, RateBook
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
from webkeep.change.sightings import Pair, Sightings, pairs
from webkeep.change.training import Lesson, Training, lessons, trained
from webkeep.change.validation import ClassScore, Score, cross_validate, cross_validate_classes, rank_correlation
from webkeep.change.verdict import Change, Look, Verdict, Witness, compare

__all__ = [
    "SAME",
    "Behaviour",
    "Bins",
    "Category",
    "Change",
    "ClassScore",
    "Colour",
    "DecisionTree",
    "Difference",
    "Features",
    "Forest",
    "Foretelling",
    "FrequencyPredictor",
    "Kin",
    "Learner",
    "Lesson",
    "Look",
    "Majority",
    "Mean",
    "NaiveBayes",
    "PageFacts",
    "Pair",
    "Poll",
    "Predictor",
    "Rate",
    "RateBook",
    "RatePredictor",
    "RateSource",
    "Score",
    "Sightings",
    "Training",
    "Value",
    "Verdict",
    "Version",
    "Witness",
    "behaviour",
    "character_bag",
    "character_shingles",
    "compare",
    "corrected_rate",
    "cross_validate",
    "cross_validate_classes",
    "difference",
    "edit_distance",
    "edited_share",
    "equal_bins",
    "frequency_rate",
    "hash_functions",
    "history_rate",
    "http_rate",
    "irregular_rate",
    "learn_frequencies",
    "learn_rates",
    "lessons",
    "likeliest_rate",
    "naive_rate",
    "page_facts",
    "page_features",
    "pairs",
    "polled_rate",
    "rank_correlation",
    "read_predictor",
    "signature",
    "signature_similarity",
    "similarity",
    "sitemap_features",
    "sitemap_rate",
    "trained",
    "url_features",
    "weighed_rate",
    "word_shingles",
    "written_predictor",
]

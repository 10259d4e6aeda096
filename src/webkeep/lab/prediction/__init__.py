"""How well rates are told before pages are seen, and what it costs where they are told wrong."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.lab.prediction.accuracy import PredictionAccuracy as PredictionAccuracy
    from webkeep.lab.prediction.changefreq_predictor import (
        ChangefreqPredictor as ChangefreqPredictor,
        learn_changefreq as learn_changefreq,
    )
    from webkeep.lab.prediction.cross_validation import (
        ClassScore as ClassScore,
        RateScore as RateScore,
        cross_validate as cross_validate,
        cross_validate_classes as cross_validate_classes,
        rank_correlation as rank_correlation,
    )
    from webkeep.lab.prediction.decision_tree import DecisionTreeLearner as DecisionTreeLearner
    from webkeep.lab.prediction.forest import ForestLearner as ForestLearner
    from webkeep.lab.prediction.naive_bayes import NaiveBayesLearner as NaiveBayesLearner
    from webkeep.lab.prediction.prediction_experiment import (
        PredictionExtent as PredictionExtent,
        run_experiment as run_experiment,
    )
    from webkeep.lab.prediction.predictor_json import (
        predictor_from_json as predictor_from_json,
        predictor_to_json as predictor_to_json,
    )
    from webkeep.lab.prediction.rate_error_cost import (
        BLUR_STRATEGIES as BLUR_STRATEGIES,
        COHERENCE_STRATEGIES as COHERENCE_STRATEGIES,
        RateErrorCost as RateErrorCost,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "accuracy": ("PredictionAccuracy",),
            "changefreq_predictor": ("ChangefreqPredictor", "learn_changefreq"),
            "cross_validation": (
                "ClassScore",
                "RateScore",
                "cross_validate",
                "cross_validate_classes",
                "rank_correlation",
            ),
            "decision_tree": ("DecisionTreeLearner",),
            "forest": ("ForestLearner",),
            "naive_bayes": ("NaiveBayesLearner",),
            "prediction_experiment": ("PredictionExtent", "run_experiment"),
            "predictor_json": ("predictor_from_json", "predictor_to_json"),
            "rate_error_cost": ("BLUR_STRATEGIES", "COHERENCE_STRATEGIES", "RateErrorCost"),
        },
    )

"""Rates of pages never seen twice, told from what an archive learned of others."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.change.prediction.archive_training import (
        TrainingPage as TrainingPage,
        TrainingSet as TrainingSet,
        train_predictor as train_predictor,
        training_pages as training_pages,
    )
    from webkeep.change.prediction.features import (
        Features as Features,
        FeatureValue as FeatureValue,
        PageFacts as PageFacts,
        page_features as page_features,
        sitemap_features as sitemap_features,
        url_features as url_features,
    )
    from webkeep.change.prediction.learner import (
        ConstantPredictor as ConstantPredictor,
        Learner as Learner,
        MajorityLearner as MajorityLearner,
        Predictor as Predictor,
        likeliest_class as likeliest_class,
        smooth_shares as smooth_shares,
    )
    from webkeep.change.prediction.rate_predictor import (
        ProbabilityCalibration as ProbabilityCalibration,
        RateBins as RateBins,
        RatePredictor as RatePredictor,
        learn_rates as learn_rates,
    )
    from webkeep.change.prediction.url_tree import (
        FeatureHistogram as FeatureHistogram,
        UrlTreeLearner as UrlTreeLearner,
        UrlTreePredictor as UrlTreePredictor,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "archive_training": ("TrainingPage", "TrainingSet", "train_predictor", "training_pages"),
            "features": ("FeatureValue", "Features", "PageFacts", "page_features", "sitemap_features", "url_features"),
            "learner": (
                "ConstantPredictor",
                "Learner",
                "MajorityLearner",
                "Predictor",
                "likeliest_class",
                "smooth_shares",
            ),
            "rate_predictor": ("ProbabilityCalibration", "RateBins", "RatePredictor", "learn_rates"),
            "url_tree": ("FeatureHistogram", "UrlTreeLearner", "UrlTreePredictor"),
        },
    )

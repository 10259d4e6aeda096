"""Which URLs a capture goes for: bounds around seeds, and the rules that widen and narrow them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.url.scope.httrack_filter import rules_from_filters as rules_from_filters
    from webkeep.url.scope.rule_syntax import exclude_rule as exclude_rule, include_rule as include_rule
    from webkeep.url.scope.scope import (
        BOUNDS_RULE as BOUNDS_RULE,
        OUTSIDE_REASON as OUTSIDE_REASON,
        Scope as Scope,
        ScopeBound as ScopeBound,
        ScopeDecision as ScopeDecision,
        ScopeExtent as ScopeExtent,
        ScopeVerdict as ScopeVerdict,
        scope_around as scope_around,
    )
    from webkeep.url.scope.url_rules import (
        MAX_REGEX_CHARS as MAX_REGEX_CHARS,
        RuleEffect as RuleEffect,
        RuleSubject as RuleSubject,
        UrlRule as UrlRule,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "httrack_filter": ("rules_from_filters",),
            "rule_syntax": ("exclude_rule", "include_rule"),
            "scope": (
                "BOUNDS_RULE",
                "OUTSIDE_REASON",
                "Scope",
                "ScopeBound",
                "ScopeDecision",
                "ScopeExtent",
                "ScopeVerdict",
                "scope_around",
            ),
            "url_rules": ("MAX_REGEX_CHARS", "RuleEffect", "RuleSubject", "UrlRule"),
        },
    )

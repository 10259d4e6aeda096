"""The plan of a capture: read from what a person wrote, checked, and turned into policies and settings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.crawl.plan.capture_plan import (
        DEFAULT_DELAY_SECONDS as DEFAULT_DELAY_SECONDS,
        BrowserMode as BrowserMode,
        CapturePlan as CapturePlan,
        Subsites as Subsites,
    )
    from webkeep.crawl.plan.plan_files import check_authorities_file as check_authorities_file
    from webkeep.crawl.plan.plan_parser import parse_plan as parse_plan, parse_seed_text as parse_seed_text
    from webkeep.crawl.plan.plan_values import plan_from_values as plan_from_values, values_of_plan as values_of_plan
    from webkeep.crawl.plan.policies import (
        fetch_settings_from_plan as fetch_settings_from_plan,
        policy_from_plan as policy_from_plan,
    )
    from webkeep.crawl.plan.saved_login import (
        BROWSER_FOLDER as BROWSER_FOLDER,
        SavedLogin as SavedLogin,
        read_login as read_login,
        render_login as render_login,
        save_login as save_login,
    )
    from webkeep.crawl.plan.strategies import (
        PURPOSES as PURPOSES,
        STRATEGY_NAMES as STRATEGY_NAMES,
        coherent_strategy as coherent_strategy,
        ranking_strategy as ranking_strategy,
    )
    from webkeep.crawl.plan.value_parsers import (
        LEASE_SCHEMES as LEASE_SCHEMES,
        parse_seconds as parse_seconds,
        parse_size as parse_size,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "capture_plan": ("BrowserMode", "CapturePlan", "DEFAULT_DELAY_SECONDS", "Subsites"),
            "plan_files": ("check_authorities_file",),
            "plan_parser": ("parse_plan", "parse_seed_text"),
            "plan_values": ("plan_from_values", "values_of_plan"),
            "policies": ("fetch_settings_from_plan", "policy_from_plan"),
            "saved_login": ("BROWSER_FOLDER", "SavedLogin", "read_login", "render_login", "save_login"),
            "strategies": ("PURPOSES", "STRATEGY_NAMES", "coherent_strategy", "ranking_strategy"),
            "value_parsers": ("LEASE_SCHEMES", "parse_seconds", "parse_size"),
        },
    )

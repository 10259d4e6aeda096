"""Names for test cases that are the same in every worker, whatever bytes they hold; laws without a stopwatch."""

from hypothesis import settings

settings.register_profile("webkeep", deadline=None)
settings.load_profile("webkeep")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Compressed bytes may hold the time of day, so long ones are named by their size."""
    if isinstance(val, bytes) and len(val) > 60:
        return f"{argname}-of-{len(val)}-bytes"
    return None

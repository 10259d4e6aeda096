"""What is in a copy: versions nearest to a moment, what pages embed, what captures withheld or did not finish;
reading it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.mirror.selection.copy_contents import CopySelection as CopySelection
    from webkeep.mirror.selection.unfinished_captures import describe_unfinished as describe_unfinished
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "copy_contents": ("CopySelection",),
            "unfinished_captures": ("describe_unfinished",),
        },
    )

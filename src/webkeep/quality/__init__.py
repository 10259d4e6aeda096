"""What a capture is worth: its coherence certificate, derived from the WARC files alone, kept, compared and shown."""

from webkeep.quality.certification import certify
from webkeep.quality.keeping import keep_certificate
from webkeep.quality.likeness import differences
from webkeep.quality.page import certificate_page

__all__ = ["certificate_page", "certify", "differences", "keep_certificate"]

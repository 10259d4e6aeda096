"""What a site says of itself to crawlers: robots.txt, sitemaps, and the XML that these and feeds are in."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.site.oai_pmh import OaiPage as OaiPage, OaiRecord as OaiRecord, read_oai_page as read_oai_page
    from webkeep.formats.site.robots import (
        MAX_ROBOTS_BYTES as MAX_ROBOTS_BYTES,
        RobotsRule as RobotsRule,
        RobotsRules as RobotsRules,
        RobotsTxt as RobotsTxt,
        parse_robots as parse_robots,
    )
    from webkeep.formats.site.sitemap import (
        is_text_sitemap as is_text_sitemap,
        is_xml_sitemap as is_xml_sitemap,
        read_text_sitemap as read_text_sitemap,
        read_xml_sitemap as read_xml_sitemap,
    )
    from webkeep.formats.site.xml_events import (
        XmlComment as XmlComment,
        XmlEnd as XmlEnd,
        XmlInstruction as XmlInstruction,
        XmlStart as XmlStart,
        XmlText as XmlText,
        local_name as local_name,
        parse_attributes as parse_attributes,
        read_xml_events as read_xml_events,
    )
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "oai_pmh": ("OaiPage", "OaiRecord", "read_oai_page"),
            "robots": ("MAX_ROBOTS_BYTES", "RobotsRule", "RobotsRules", "RobotsTxt", "parse_robots"),
            "sitemap": ("is_text_sitemap", "is_xml_sitemap", "read_text_sitemap", "read_xml_sitemap"),
            "xml_events": (
                "XmlComment",
                "XmlEnd",
                "XmlInstruction",
                "XmlStart",
                "XmlText",
                "local_name",
                "parse_attributes",
                "read_xml_events",
            ),
        },
    )

"""Links of HTML: attributes and their grammars, elements that must be read as a whole, forms, metadata, fragments."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.extract.html.attributes import (
        UNLISTED_RULE as UNLISTED_RULE,
        AttributeGrammar as AttributeGrammar,
        attribute_rules as attribute_rules,
        rule_source as rule_source,
    )
    from webkeep.extract.html.compound_elements import BASE_SOURCE as BASE_SOURCE, ELEMENT_READERS as ELEMENT_READERS
    from webkeep.extract.html.html_links import MAX_NESTING as MAX_NESTING, tag_references as tag_references
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "attributes": ("AttributeGrammar", "UNLISTED_RULE", "attribute_rules", "rule_source"),
            "compound_elements": ("BASE_SOURCE", "ELEMENT_READERS"),
            "html_links": ("MAX_NESTING", "tag_references"),
        },
    )

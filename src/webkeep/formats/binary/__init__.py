"""Binary documents that name addresses (Flash films, Java classes, PDF files), and the sizes of pictures."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webkeep.formats.binary.flash import (
        FLASH_SIGNATURES as FLASH_SIGNATURES,
        read_flash_strings as read_flash_strings,
    )
    from webkeep.formats.binary.image_size import read_image_size as read_image_size
    from webkeep.formats.binary.java_class import CLASS_MAGIC as CLASS_MAGIC, read_class_file as read_class_file
    from webkeep.formats.binary.pdf_links import read_pdf_links as read_pdf_links
else:
    from webkeep.lazy_exports import lazy_exports

    __getattr__ = lazy_exports(
        __name__,
        {
            "flash": ("FLASH_SIGNATURES", "read_flash_strings"),
            "image_size": ("read_image_size",),
            "java_class": ("CLASS_MAGIC", "read_class_file"),
            "pdf_links": ("read_pdf_links",),
        },
    )

"""Pictures drawn by code: landscapes as PNG, emblems and maps as SVG."""

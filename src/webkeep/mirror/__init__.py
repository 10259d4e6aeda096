"""The navigable copy: a site on disk that any browser opens, with no server and no webkeep."""

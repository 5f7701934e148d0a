"""Which addresses are on this machine."""

from urllib.parse import urlsplit

_LOCAL = {"localhost", "127.0.0.1", "::1"}


def host_of(url: str) -> str:
    """The host that an address names, without its port; the scheme may be left out."""
    return urlsplit(url if "//" in url else f"//{url}").hostname or ""


def is_local(url: str) -> bool:
    """Whether the address is one of this machine's own."""
    return host_of(url) in _LOCAL

"""URLs with secrets: written down without them, asked for with them, lost with the process that knew them."""

from webkeep.crawl.requests.secret_urls import SecretUrls
from webkeep.redaction import Redactor
from webkeep.redaction.values import KnownValues

URL = "http://a.test/file?token=geheim&n=1"
KEPT = "http://a.test/file?token=redacted&n=1"


def test_a_url_is_asked_for_as_it_was() -> None:
    urls = SecretUrls(Redactor())
    assert urls.redact(URL) == KEPT
    assert urls.restore(KEPT) == URL
    assert not urls.is_lost(KEPT)


def test_another_process_has_lost_it() -> None:
    urls = SecretUrls(Redactor())
    assert urls.is_lost(KEPT)
    assert urls.restore(KEPT) == KEPT
    assert urls.redact(KEPT) == KEPT
    assert urls.is_lost(KEPT), "a link to what was redacted brings nothing back"
    urls.redact(URL)
    assert not urls.is_lost(KEPT)


def test_other_urls_are_what_they_are() -> None:
    urls = SecretUrls(Redactor())
    for url in ("http://a.test/redacted", "http://a.test/?q=redacted", "http://a.test/?page_token=x"):
        assert urls.redact(url) == urls.restore(url) == url
        assert not urls.is_lost(url)


def test_known_values_in_paths_are_secrets_too() -> None:
    urls = SecretUrls(Redactor(known=KnownValues(["a1b2c3d4e5f6"])))
    assert urls.redact("http://a.test/u/a1b2c3d4e5f6/x") == "http://a.test/u/redacted/x"
    assert urls.restore("http://a.test/u/redacted/x") == "http://a.test/u/a1b2c3d4e5f6/x"

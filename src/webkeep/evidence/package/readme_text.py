"""The text beside a package that says what each file is, and how to check it with programs that are not ours."""

from __future__ import annotations

from webkeep.evidence.package.evidence_facts import SealFacts

_BEGINNING = """\
This folder is an evidence package, made by webkeep.

cover.html, cover.pdf     what was looked at, when, how and by whom, what is proven and what is not
page-NNN-full.png         a page in its full length, as a browser showed it
page-NNN-window.png       what a window showed of it
page-NNN.pdf, .html, .txt the same page on paper, as one file for a browser, and as its visible text
page-NNN-file.*           what was asked for, as it was sent, where it is a file and no page
evidence.wacz             everything: what passed between browser and servers, and all that stands above
SHA256SUMS                the digests of all files
"""
_CHECKS = """
To check it without webkeep:

  sha256sum -c SHA256SUMS
      no file of this folder was changed since the list was made.

  unzip -p evidence.wacz datapackage.json | sha256sum
      must be the "hash" in datapackage-digest.json; datapackage.json lists the SHA-256 of every file within.
"""
_CERTIFIED = """
  pip install 'wacz[signing]'
  wacz validate -f evidence.wacz
      everything within is as datapackage.json lists it; with --verify-auth also as it was
      signed, by whom the certificate names: that program knows keys of elliptic curves and
      a short list of authorities for time stamps (--verifier-url has another list).
"""
_OWN_KEY = """
  pip install wacz
  wacz validate -f evidence.wacz
      everything within is as datapackage.json lists it. (It checks signatures only
      with a certificate and a time stamp; https://replayweb.page/ and webkeep verify check all.)
"""
_SIGNATURE = """
The signature, with openssl alone (in this folder; what it needs in between goes into a folder of its own, T):

  T=$(mktemp -d)
  field() { sed -n "s/^ *\\"$1\\": \\"\\(.*\\)\\",*$/\\1/p" datapackage-digest.json | tail -n 1; }
  M=sha256:$(unzip -p evidence.wacz datapackage.json | sha256sum | cut -c -64)
"""
_OWN_SIGNATURE = """\
  field publicKey | base64 -d > $T/key
  N=$(field signature | base64 -d | od -An -v -tx1 | tr -d ' \\n'); H=$((${#N} / 2))
  printf 'asn1=SEQUENCE:n\\n[n]\\nr=INTEGER:0x%s\\ns=INTEGER:0x%s\\n' \\
    $(echo $N | cut -c -$H) $(echo $N | cut -c $((H + 1))-) > $T/numbers
  openssl asn1parse -genconf $T/numbers -noout -out $T/signature
  printf %s $M | openssl dgst -sha256 -verify $T/key -keyform DER -signature $T/signature
  sha256sum $T/key
      "Verified OK": whoever has the key with this fingerprint signed it. It has to be the fingerprint on
      the cover sheet, and one that you know from its owner: a key by itself names nobody.
"""
_CERTIFIED_SIGNATURE = """\
  printf '%b' "$(field domainCert)" > $T/certificates
  openssl x509 -in $T/certificates -noout -pubkey > $T/key
  field signature | base64 -d > $T/signature
  printf %s $M | openssl dgst -sha256 -verify $T/key -signature $T/signature
  openssl x509 -in $T/certificates -noout -subject -issuer -dates
      "Verified OK": whom the certificate names signed it, if you trust whoever issued it:

  openssl verify -untrusted $T/certificates $T/certificates
      whether your system does; -CAfile FILE has further authorities, and -attime SECONDS asks as of a time
      stamp (date -d 2026-03-02T12:00Z +%s), as certificates run out.
"""
_SIGNATURE_CHECKS = {
    (False, "ECDSA"): _OWN_SIGNATURE,
    (True, "ECDSA"): _CERTIFIED_SIGNATURE,
    (True, "RSA"): _CERTIFIED_SIGNATURE,
}
"""How openssl checks a signature, by whether a certificate names who signed, and by its kind; the others stay with
webkeep and browsers."""
STAMP_CHECK = (
    'for f in stamps/*.tsr; do openssl ts -verify -in "$f" -data datapackage-digest.json -CAfile CHAIN.pem; done'
)
"""Holds all time stamps against what they are of, in any shell, whenever they came."""
_STAMPED = f"""
If there is a folder stamps, with time stamps by authorities%s:

  {STAMP_CHECK}
      the package existed when the authority says (openssl ts -reply -in FILE -text shows when).
      CHAIN.pem has the certificates of the authority, up to its root, as it publishes them: have them
      from the authority and not from whoever gave you this folder. Where your system trusts it already,
      -CApath /etc/ssl/certs (or where your system has them) does instead of -CAfile CHAIN.pem.
"""
_END = """
To see the pages alive, open evidence.wacz at https://replayweb.page/ or with webkeep:

  webkeep verify evidence.wacz%s
  webkeep import evidence.wacz --into archive && webkeep serve archive
"""


def render_readme(seal: SealFacts) -> bytes:
    """The text, with the checks that this package allows."""
    is_stamped = bool(seal.authorities)
    signed = _CERTIFIED if seal.is_named and is_stamped else _OWN_KEY
    asked = f" (asked were {', '.join(seal.authorities)})" if is_stamped else ""
    trust = " --tsa-ca CHAIN.pem" if is_stamped else ""
    return "".join([_BEGINNING, _CHECKS, signed, render_signature_check(seal), _STAMPED % asked, _END % trust]).encode()


def render_signature_check(seal: SealFacts) -> str:
    """How openssl checks the signature of a package; empty where that takes more than a few words."""
    check = _SIGNATURE_CHECKS.get((seal.is_named, seal.algorithm), "")
    return f"{_SIGNATURE}{check}" if check else ""

"""How browsers and systems are told to trust the recording proxy, and how to undo it: the text of `webkeep record
--trust`.
"""

from __future__ import annotations

from pathlib import Path

_TRUST_ADVICE = """\
Records of https need a certificate authority that your browser trusts. webkeep made one on this machine; its key never
leaves it and is readable by you alone. Whoever has that key can pose as any site to whoever trusts it: trust it only
where you record, and undo it afterwards.

The certificate: {certificate}
It can also be loaded through the proxy itself, at http://127.0.0.1:PORT/webkeep-authority.pem

The shortest way needs no trust at all
  webkeep record --into ARCHIVE --open URL
  starts Chromium with a profile of its own that trusts it, and forgets both when it is closed.

Firefox
  in:   Settings, Privacy & Security, View Certificates, Authorities, Import; tick "identify websites"
  out:  the same list: webkeep recording authority, Delete or Distrust

Chromium and Chrome on Linux
  in:   certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n webkeep -i {certificate}
  out:  certutil -d sql:$HOME/.pki/nssdb -D -n webkeep

Debian and Ubuntu, for programs that use the system's list
  in:   sudo cp {certificate} /usr/local/share/ca-certificates/webkeep.crt && sudo update-ca-certificates
  out:  sudo rm /usr/local/share/ca-certificates/webkeep.crt && sudo update-ca-certificates --fresh

macOS
  in:   security add-trusted-cert -r trustRoot -k ~/Library/Keychains/login.keychain-db {certificate}
  out:  security delete-certificate -c "webkeep recording authority"

Windows
  in:   certutil -user -addstore Root {certificate}
  out:  certutil -user -delstore Root "webkeep recording authority"

One program, once
  curl --proxy http://127.0.0.1:PORT --cacert {certificate} URL
  wget -e https_proxy=http://127.0.0.1:PORT --ca-certificate={certificate} URL
  REQUESTS_CA_BUNDLE={certificate} HTTPS_PROXY=http://127.0.0.1:PORT python3 program.py

To take it out of the world, delete the folder of the certificate; the next recording makes a new one."""


def trust_advice(certificate: Path) -> str:
    """How to opt in and out, with the certificate of this machine."""
    return _TRUST_ADVICE.replace("{certificate}", str(certificate))

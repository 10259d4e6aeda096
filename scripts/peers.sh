#!/bin/sh
# Installs the programs that tests and benches measure against, each in an environment of its own.
set -eu
scripts/venv.sh .peers/tools 'cdxj-indexer>=1.4.5' 'wacz>=0.5' 'warcio>=1.7.5'
scripts/venv.sh .peers/pywb 'pywb>=2.8' 'setuptools<81'

missing=""
for program in wget nginx; do
    command -v $program >/dev/null 2>&1 || missing="$missing $program"
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -qq && apt-get install -y -qq $missing >/dev/null
    else
        echo "the tests need:$missing; run sudo apt-get install$missing, then make test again" >&2
        exit 1
    fi
fi

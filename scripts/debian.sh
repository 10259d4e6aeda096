#!/bin/sh
# Installs those of the given Debian packages that are missing: by apt when root, else says in one line what to install.
# usage: debian.sh WHAT-FOR PACKAGE…
set -eu
purpose=$1
shift

missing=""
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "$purpose needs:$missing; run sudo apt-get install$missing, then make again" >&2
    exit 1
fi
echo "$purpose: apt-get install$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi

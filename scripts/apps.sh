#!/bin/sh
# Installs the packages whose built files the applications of bench.apps serve, into DIR.
# usage: apps.sh DIR
set -eu
dir=$1

if ! command -v npm >/dev/null 2>&1; then
    if [ "$(id -u)" = 0 ]; then
        apt-get update -qq && apt-get install -y -qq --no-install-recommends npm >/dev/null
    else
        echo "bench.apps needs npm: sudo apt-get install npm, then run make peers again" >&2
        exit 1
    fi
fi
mkdir -p "$dir"
cp bench/app_pages/package.json bench/app_pages/package-lock.json "$dir/"
# Nothing of theirs is run: only the files are wanted.
npm ci --prefix "$dir" --ignore-scripts --omit=optional --legacy-peer-deps --no-audit --no-fund --loglevel=error

#!/bin/sh
# Installs the packages that PAGES/package.json names into DIR: what the applications of a bench are
# made of, and what pages are checked by.
# usage: apps.sh PAGES DIR
set -eu
pages=$1
dir=$2

# It may have come with Node.js itself.
command -v npm >/dev/null || scripts/debian.sh 'make peers' npm
mkdir -p "$dir"
# npm takes a folder that is reached by a link for a package of its own.
dir=$(cd "$dir" && pwd -P)
cp "$pages/package.json" "$pages/package-lock.json" "$dir/"
# Nothing of theirs is run: only the files are wanted.
npm ci --prefix "$dir" --ignore-scripts --omit=optional --legacy-peer-deps --no-audit --no-fund --loglevel=error

#!/bin/sh
# Installs the packages whose built files the applications of bench.apps serve, into DIR.
# usage: apps.sh DIR
set -eu
dir=$1

# It may have come with Node.js itself.
command -v npm >/dev/null || scripts/debian.sh 'make peers' npm
mkdir -p "$dir"
cp bench/app_pages/package.json bench/app_pages/package-lock.json "$dir/"
# Nothing of theirs is run: only the files are wanted.
npm ci --prefix "$dir" --ignore-scripts --omit=optional --legacy-peer-deps --no-audit --no-fund --loglevel=error

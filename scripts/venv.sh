#!/bin/sh
# Makes the virtual environment DIR if it is not there, and installs the given packages into it.
# usage: venv.sh DIR PIP-ARGUMENTS…
set -eu
dir=$1
shift

if [ ! -x "$dir/bin/pip" ]; then
    rm -rf "$dir"
    command -v python3 >/dev/null || scripts/debian.sh webkeep python3 python3-venv
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        echo "webkeep needs Python 3.11 or newer as python3; install it and run make again" >&2
        exit 1
    fi
    python3 -c 'import ensurepip, venv' 2>/dev/null || scripts/debian.sh webkeep python3-venv
    python3 -m venv "$dir"
fi
echo "$dir: pip install $*"
# Warnings of pip's about its indexes say nothing about webkeep; its errors are shown.
"$dir/bin/python" -m pip install -qq --disable-pip-version-check "$@"

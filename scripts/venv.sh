#!/bin/sh
# Makes the virtual environment DIR if it is not there, and installs the given packages into it.
# usage: venv.sh DIR PIP-ARGUMENTS…
set -eu
dir=$1
shift

if [ ! -x "$dir/bin/pip" ]; then
    rm -rf "$dir"
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        echo "webkeep needs Python 3.11 or newer as python3; install it and run make again" >&2
        exit 1
    fi
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
        if [ "$(id -u)" = 0 ]; then
            apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
        else
            echo "webkeep needs python3-venv: sudo apt-get install python3-venv, then run make again" >&2
            exit 1
        fi
    fi
    python3 -m venv "$dir"
fi
"$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
# What is installed where it lies starts in half the time if it need not be compiled at every start.
"$dir/bin/python" -m compileall -q src bench

#!/bin/sh
# Makes the virtual environment $1 with Python 3.11 or newer, unless a working one is there.
#
# $PYTHON names the interpreter to use; without it the first that fits is taken. Debian and Ubuntu
# ship Python without the module ensurepip, which venv needs; then python3-venv gets installed.
set -u

. "$(dirname "$0")/install_system_package.sh"

environment=${1:?usage: ensure_venv.sh DIRECTORY}

# Running the program is the only test that counts: version managers put names on PATH that fail.
is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

can_make_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

# Prints the first new enough interpreter, one that can make environments if there is any. Python
# 3.14 comes after those that more of the tests were run with.
find_python() {
    fallback=""
    for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3.14 python3}; do
        is_new_enough "$candidate" || continue
        if can_make_environments "$candidate"; then
            echo "$candidate"
            return 0
        fi
        fallback=${fallback:-$candidate}
    done
    [ -n "$fallback" ] && echo "$fallback"
}

if is_new_enough "$environment/bin/python" && "$environment/bin/python" -m pip --version >/dev/null 2>&1; then
    exit 0
fi

if ! python=$(find_python); then
    if [ -n "${PYTHON:-}" ]; then
        echo "error: PYTHON=$PYTHON does not start, or is older than Python 3.11." >&2
    else
        echo "error: no Python 3.11 or newer found (tried python3.13, 3.12, 3.11, 3.14 and python3)." >&2
    fi
    echo "  Install one, or name the one you have: make PYTHON=/path/to/python3.12 ..." >&2
    exit 1
fi

if ! can_make_environments "$python"; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "Python $version lacks the module ensurepip; looking for a package that has it:" >&2
    # Only Debian and its children split Python up like this.
    install_system_package "apt-get:python$version-venv" apt-get:python3-venv
    if ! can_make_environments "$python"; then
        echo "error: $python cannot make virtual environments (no module ensurepip)." >&2
        echo "  Install python$version-venv, or name another Python: make PYTHON=/path/to/python3 ..." >&2
        exit 1
    fi
fi

echo "Making $environment with $("$python" --version) ..." >&2
exec "$python" -m venv --clear "$environment"

#!/bin/sh
# Prints the path of a Chromium that can run without a screen, and installs one if there is none.
#
# The order: CEPHEID_CHROMIUM, PATH, the usual places of a Mac, the package manager.
set -u

. "$(dirname "$0")/install_system_package.sh"

find_chromium() {
    if [ -n "${CEPHEID_CHROMIUM:-}" ] && [ -x "$CEPHEID_CHROMIUM" ]; then
        echo "$CEPHEID_CHROMIUM"
        return 0
    fi
    for name in chromium chromium-browser google-chrome google-chrome-stable chrome; do
        command -v "$name" && return 0
    done
    for program in \
        "${CEPHEID_APPLICATIONS:-/Applications}/Chromium.app/Contents/MacOS/Chromium" \
        "${CEPHEID_APPLICATIONS:-/Applications}/Google Chrome.app/Contents/MacOS/Google Chrome"; do
        if [ -x "$program" ]; then
            echo "$program"
            return 0
        fi
    done
    return 1
}

find_chromium && exit 0

echo "Looking for a package with Chromium:" >&2
if install_system_package \
    apt-get:chromium apt-get:chromium-browser dnf:chromium yum:chromium apk:chromium \
    pacman:chromium brew:chromium; then
    find_chromium && exit 0
fi

echo "error: no Chromium; install the package chromium, or name one in CEPHEID_CHROMIUM." >&2
exit 1

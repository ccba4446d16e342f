#!/bin/sh
# Prints the folder of PostgreSQL's server programs, and installs them if there are none.
#
# The order: PATH, the usual install folders (the newest version first), the package manager.
# CEPHEID_POSTGRESQL_DIRECTORY replaces /usr/lib/postgresql, where Debian keeps its versions.
set -u

. "$(dirname "$0")/install_system_package.sh"

# Debian keeps the programs of a server off PATH, since there may be several versions.
find_programs() {
    if on_path=$(command -v initdb) && command -v postgres >/dev/null 2>&1; then
        dirname "$on_path"
        return 0
    fi
    newest=""
    for program in \
        "${CEPHEID_POSTGRESQL_DIRECTORY:-/usr/lib/postgresql}"/*/bin/initdb \
        /usr/pgsql-*/bin/initdb \
        /opt/homebrew/opt/postgresql*/bin/initdb \
        /usr/local/opt/postgresql*/bin/initdb; do
        [ -x "$program" ] && newest=$program
    done
    [ -n "$newest" ] && dirname "$newest"
}

find_programs && exit 0

echo "Looking for a package with PostgreSQL's server:" >&2
if install_system_package \
    apt-get:postgresql dnf:postgresql-server yum:postgresql-server apk:postgresql \
    pacman:postgresql brew:postgresql@17; then
    find_programs && exit 0
fi

echo "error: no PostgreSQL server (initdb and postgres); install the package postgresql." >&2
exit 1

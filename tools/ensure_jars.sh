#!/bin/sh
# Brings the jars that tests need beside Spark's own into .jars, once.
#
# Each part is a profile of tools/jars/pom.xml. A part that is there has a file .jars/PART.done; one
# that could not be had has .jars/PART.missing, which says why, and is tried again the next time.
# Tests that need it are skipped with that reason, so this script never fails.
# CEPHEID_JARS_DIRECTORY replaces .jars.
set -u

tools=$(dirname "$0")
. "$tools/install_system_package.sh"

directory=${CEPHEID_JARS_DIRECTORY:-.jars}
pom=$tools/jars/pom.xml

# Prints why Maven cannot be used, or nothing.
maven_problem() {
    if ! command -v mvn >/dev/null 2>&1; then
        echo "Looking for a package with Maven:" >&2
        install_system_package apt-get:maven dnf:maven yum:maven apk:maven pacman:maven brew:maven
    fi
    command -v mvn >/dev/null 2>&1 || echo "there is no Maven (mvn) to bring them"
}

# Copies the jars of the part $1 into the folder $2 of .jars.
bring() {
    [ -e "$directory/$1.done" ] && return
    rm -f "$directory/$1.missing"
    problem=${problem-$(maven_problem)}
    if [ -z "$problem" ]; then
        echo "Bringing the jars of $1 ..." >&2
        # -U: a jar that was not there last time may be there now.
        if said=$(mvn -B -q -U -f "$pom" -P "$1" \
            dependency:copy-dependencies "-DoutputDirectory=$(cd "$directory" && pwd)/$2" 2>&1); then
            touch "$directory/$1.done"
            return
        fi
        reason=$(printf '%s\n' "$said" | sed -n 's/^.*\[ERROR\] *//p' | sed -n 1p)
        reason="Maven: ${reason:-failed without a message}"
    else
        reason=$problem
    fi
    echo "$reason" >"$directory/$1.missing"
    echo "  not there, so the tests that need it are skipped: $reason" >&2
}

# Other versions are other jars: nothing of the old ones may stay on a class path.
wanted=$(cksum <"$pom")
if [ "$(cat "$directory/versions" 2>/dev/null)" != "$wanted" ]; then
    rm -rf "$directory"
    mkdir -p "$directory"
    echo "$wanted" >"$directory/versions"
fi

bring kafka-connector spark
bring postgresql-driver spark
bring kafka-broker broker
exit 0

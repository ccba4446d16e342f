#!/bin/sh
# Prints the JAVA_HOME of a Java that can run Spark 4, and installs one if there is none.
#
# "Can run Spark 4" means version 17 or newer with the module jdk.incubator.vector, which some
# trimmed-down runtimes leave out. The order: $JAVA_HOME, java on PATH, the usual install folders,
# the package manager. Only the answer goes to stdout: JAVA_HOME="$(tools/ensure_java.sh)" || exit
# CEPHEID_JVM_DIRECTORY replaces /usr/lib/jvm, where Linux distributions keep their Java versions.
set -u

. "$(dirname "$0")/install_system_package.sh"

oldest_version=17
needed_module=jdk.incubator.vector

# Prints the home of the given java program if it will do; says why not on stderr if it will not.
usable_home() {
    settings=$("$1" -XshowSettings:properties -version 2>&1) || {
        echo "Java at $1 does not start" >&2
        return 1
    }
    # Java 8 calls itself 1.8, every later one by its number.
    version=$(printf '%s\n' "$settings" |
        sed -n 's/^ *java\.specification\.version = \(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p')
    if [ "${version:-0}" -lt "$oldest_version" ]; then
        echo "Java at $1 is version ${version:-unknown}; Spark needs $oldest_version or newer" >&2
        return 1
    fi
    if ! "$1" --list-modules 2>/dev/null | grep -q "^$needed_module"; then
        echo "Java at $1 lacks the module $needed_module, which Spark needs" >&2
        return 1
    fi
    printf '%s\n' "$settings" | sed -n 's/^ *java\.home = //p'
}

find_java() {
    if [ -n "${JAVA_HOME:-}" ]; then
        usable_home "$JAVA_HOME/bin/java" && return 0
    fi
    if on_path=$(command -v java); then
        usable_home "$on_path" && return 0
    fi
    find_installed_java
}

# Installed does not mean on PATH: Debian keeps an older default, Homebrew links nothing.
find_installed_java() {
    for program in \
        "${CEPHEID_JVM_DIRECTORY:-/usr/lib/jvm}"/*/bin/java \
        /opt/homebrew/opt/openjdk*/bin/java \
        /usr/local/opt/openjdk*/bin/java \
        /home/linuxbrew/.linuxbrew/opt/openjdk*/bin/java \
        /Library/Java/JavaVirtualMachines/*/Contents/Home/bin/java; do
        [ -x "$program" ] || continue
        usable_home "$program" 2>/dev/null && return 0
    done
    return 1
}

find_java && exit 0

echo "Looking for a package with Java $oldest_version or newer:" >&2
if install_system_package \
    apt-get:openjdk-17-jre-headless apt-get:openjdk-21-jre-headless apt-get:default-jre-headless \
    dnf:java-17-openjdk-headless dnf:java-21-openjdk-headless dnf:java-17-amazon-corretto-headless \
    yum:java-17-openjdk-headless yum:java-21-openjdk-headless yum:java-17-amazon-corretto-headless \
    apk:openjdk17-jre-headless apk:openjdk21-jre-headless \
    pacman:jre17-openjdk-headless pacman:jre21-openjdk-headless \
    brew:openjdk@17 brew:openjdk@21; then
    find_java 2>/dev/null && exit 0
fi

cat >&2 <<MESSAGE
error: no Java that can run Spark.
  Install a Java runtime, version $oldest_version or newer, with the module $needed_module
  (for example the package openjdk-17-jre-headless), and either put java on PATH or set JAVA_HOME.
  Without Java everything but Spark works: make core
MESSAGE
exit 1

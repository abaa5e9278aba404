# shellcheck shell=sh
# Functions that start Wallfinder: the JVM's options, its cache, and the namespaces of a user without root. bin/wallfinder
# uses them in a clone, packaging/wallfinder in an installed copy, and bin/check and bench/ by way of bin/build.sh.
# The caller sets `root`, the folder of Wallfinder, before it reads this file. Later it sets `jdk`, the folder of the JVM,
# and `jdk_runtime`, what the cache depends on besides that folder.
# shellcheck disable=SC2154

# explain WHAT WHY REMEDY: prints an error in three parts.
explain() {
    printf 'wallfinder: %s\n  why:        %s\n  what to do: %s\n' "$1" "$2" "$3" >&2
}

on_linux() {
    [ -e /proc/sys/kernel/ostype ] && return 0
    explain "Wallfinder needs Linux" "it measures with the counters, namespaces and cgroups of the Linux kernel" \
        "run it in a Linux VM, and clone or install it there
              (macOS: for example \`limactl start\`, then \`limactl shell default\`, of the Homebrew package lima)"
    return 3
}

# one_at_a_time [FOLDER]: the first process works in the folder (that of the build), and the others wait for it. The lock
# ends with the process and its children: if a script is killed while Maven builds for it, the next one waits for that Maven.
one_at_a_time() {
    set -- "${1:-$root/wallfinder/target}"
    # In a subshell, because a shell that cannot redirect `:` ends.
    if ! (mkdir -p "$1" && : >>"$1/.lock") 2>/dev/null; then
        explain "Wallfinder cannot be built" "$1 cannot be written by user $(id -un)" \
            "run it once as the owner of that folder, or work in a clone of your own"
        return 3
    fi
    exec 9>>"$1/.lock"
    command -v flock >/dev/null 2>&1 || return 0
    flock -n 9 && return 0
    echo "waiting for another start of Wallfinder that uses $1…" >&2
    flock 9
}

# ---- the JVM ------------------------------------------------------------------------------------

# The JVM's options must be the same when the cache is made and when it is used. By line:
# - allows the calls of native functions in `linux`, and in the library that knows the terminal;
# - uses the collector with the fewest threads, and a heap that begins small and grows if needed;
# - inlines calls deep enough, and compiles only what is called often: the compilers share a CPU with the load;
# - but compiles the native call by itself: if the compiler stops half-way into it, each call makes an object
#   (AllocationTest);
# - writes no file in /tmp;
# - keeps warnings away from the results, and ignores a cache that does not fit, without a message.
jvm_options="--enable-native-access=wallfinder,org.jline.terminal.ffm
    -XX:+UseSerialGC -Xms16m
    -XX:MaxInlineLevel=40 -XX:CompileThresholdScaling=5
    -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,wallfinder.linux.NativeFunction::invoke
    -XX:-UsePerfData
    -Xlog:disable -Xlog:all=warning:stderr -Xlog:aot*=off:stderr -Xlog:cds*=off:stderr"

# use_cache FOLDER: the cache is in this folder. It contains what the JVM loads and links at its start. `.cached` names the
# JDK for which it was made, or for which making it failed: the next attempt comes after the next build.
use_cache() {
    cache_folder=$1
    cache=$1/wallfinder.aot cached=$1/.cached
    cached_for=
}

cache_outdated() {
    [ -e "$modules/wallfinder.jar" ] || return 1
    cached_for=
    [ ! -r "$cached" ] || read -r cached_for <"$cached" || true
    # shellcheck disable=SC3013 # dash, bash, ksh and busybox have -nt
    [ "$cached_for" != "$jdk_runtime $jdk" ] || [ "$modules/wallfinder.jar" -nt "$cached" ]
}

# The JVM records what a short run on the loopback needs, with our options only. It does not record which methods were
# busy, because the next start would compile these first, beside its own work. `mv` makes the file appear whole.
make_cache() {
    rehearsal=$cache_folder/rehearsal
    rm -rf "$rehearsal" "$cache" "$cached"
    mkdir "$rehearsal" || return
    # shellcheck disable=SC2086 # one option each
    (cd "$rehearsal" && unset JDK_JAVA_OPTIONS JAVA_TOOL_OPTIONS _JAVA_OPTIONS &&
        exec "$jdk/bin/java" "-XX:AOTCacheOutput=$rehearsal/made.aot" -XX:+IgnoreUnrecognizedVMOptions \
        -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining $jvm_options \
        "-Dwallfinder.locks=$rehearsal" -p "$modules" -m wallfinder/wallfinder.cli.Rehearsal) \
        >"$cache_folder/cache.log" 2>&1 </dev/null 9>&- &&
        sync "$rehearsal/made.aot" && mv "$rehearsal/made.aot" "$cache" ||
        echo "no cache could be made: the program starts without one" >>"$cache_folder/cache.log"
    cached_for="$jdk_runtime $jdk"
    echo "$cached_for" >"$cached"
    rm -rf "$rehearsal"
}

# prepare_cache: if the cache cannot be made, starts are only slower.
prepare_cache() {
    cache_outdated || return 0
    [ -w "$cache_folder" ] && one_at_a_time "$cache_folder" 2>/dev/null || return 0
    if cache_outdated; then
        echo "making the next starts faster (once, some seconds)…" >&2
        make_cache 2>/dev/null
    fi
    exec 9>&-
}

# ---- the start ----------------------------------------------------------------------------------

# look_at ARGUMENT...: sets `first`, the command, and `experiment`, the last experiment file. `services` are the sample
# services that an experiment names by their jars, or that `serve` starts.
look_at() {
    first=${1:-} experiment='' services=''
    if [ "$first" = serve ]; then
        for argument in "$@"; do
            case $argument in '' | -* | */* | .*) continue ;; esac
            [ -e "$root/services/$argument/pom.xml" ] || continue
            services=$argument
            break
        done
    fi
    for argument in "$@"; do
        case $argument in
            *.yaml | *.yml) ;;
            *) continue ;;
        esac
        [ -r "$argument" ] || continue
        experiment=$argument
        services="$services $(grep -oE 'services/[A-Za-z0-9_-]+/target/' "$argument" | cut -d/ -f2 | sort -u)"
    done
}

# start ARGUMENT...: becomes the program.
start() {
    # A start without the cache is only slower. The cache fits the heap that these options set. If a variable sets
    # another heap, the JVM ends with an error, whatever -XX:AOTMode says ("archived heap objects cannot be loaded").
    # It also ends with an error if two collectors are set.
    aot=
    given=${JDK_JAVA_OPTIONS-}${JAVA_TOOL_OPTIONS-}${_JAVA_OPTIONS-}
    case $given in
        '') [ "$cached_for" != "$jdk_runtime $jdk" ] || [ ! -e "$cache" ] || aot=-XX:AOTCache=$cache ;;
        *-XX:+Use*GC*) jvm_options="${jvm_options%%-XX:+UseSerialGC*}${jvm_options#*-XX:+UseSerialGC}" ;;
    esac
    # shellcheck disable=SC2086 # one option each
    set -- "$jdk/bin/java" ${aot:+"$aot"} $jvm_options "-Dwallfinder.home=$root" \
        "-Dwallfinder.script=$root/bin/wallfinder" -p "$modules" -m wallfinder/wallfinder.cli.Main "$@"
    wants_namespaces "$@" || exec "$@"
    in_namespaces "$@"
}

# Without root, a study gets namespaces of its own, in which this user is root. With the process namespace the kernel ends
# everything that the study started, however the study ends. Another host is out of reach from there.
# A shell starts background programs with SIGINT ignored, which `env` restores (coreutils 8.31 and later).
own_namespaces="env --default-signal=INT,QUIT setpriv --pdeathsig KILL
    unshare --user --map-root-user --net --mount --pid --fork --kill-child --mount-proc --"

# wants_namespaces ARGUMENT...: whether the program is to have namespaces of its own, and can enter them.
wants_namespaces() {
    case $first in
        capacity | find | fit | profile | run) ;;
        *) return 1 ;;
    esac
    for argument in "$@"; do
        case $argument in
            --server | --server=* | --generator*) return 1 ;;
        esac
    done
    [ "$(id -u)" != 0 ] && [ -n "$experiment" ] && ! grep -qE '(^|[{,[:space:]])hosts?:' "$experiment" &&
        $own_namespaces true 2>/dev/null
}

# unshare ignores SIGTERM and SIGINT while it waits for the program, so this shell passes them on.
# Ctrl-C also reaches the program directly: it is stopping then, and a second signal changes nothing.
# If this shell is killed, unshare ends with it, and the program with unshare.
pass_on() {
    program=
    read -r program _ <"/proc/$outer/task/$outer/children" || true
    kill -s "$1" "${program:-$outer}" 2>/dev/null
}

in_namespaces() {
    # A shell starts background programs without input; this restores it.
    $own_namespaces "$@" <&0 &
    outer=$!
    trap 'pass_on INT' INT
    trap 'pass_on TERM' TERM
    trap 'pass_on HUP' HUP
    while :; do
        wait "$outer"
        status=$?
        kill -0 "$outer" 2>/dev/null || exit "$status"
    done
}

# shellcheck shell=bash disable=SC2154 # bats sets status, output, stderr and lines
# What the tests share. Each runs the script in the shell that RUN_JAVA_SHELL names (default: sh), in an environment
# of its own, with a `java` that prints what it was given, one argument a line.

bats_require_minimum_version 1.5.0
tests=$(cd "$BATS_TEST_DIRNAME" && pwd)
script=${tests%/*}/run-java
read -r -a shell_under_test <<<"${RUN_JAVA_SHELL:-sh}"

setup() {
    work=$BATS_TEST_TMPDIR
    app=$work/app
    mkdir -p "$work/bin" "$app" "$work/empty"
    environment=("PATH=$work/jdk/bin:$work/bin:$PATH" "HOME=$work" "RUN_JAVA_ROOT=$work/empty" "JAVA_APP_DIR=$app")
    a_jvm 25.0.3
}

# a_jvm VERSION [LINE]: its release file has that line, too.
a_jvm() {
    mkdir -p "$work/jdk/bin"
    printf 'JAVA_VERSION="%s"\n%s\n' "$1" "${2:-}" >"$work/jdk/release"
    # shellcheck disable=SC2016 # for that script
    printf '#!/bin/sh\nprintf "<%%s>\\n" "$@"\nenv >"%s/environment"\n' "$work" >"$work/jdk/bin/java"
    chmod +x "$work/jdk/bin/java"
}

# a_tree NAME: the script reads that recorded tree instead of this host.
a_tree() {
    awk -v root="$work/host" '
        /^#/ { next }
        /^\// { close(file); file = root $0; folder = file; sub(/\/[^\/]*$/, "", folder); system("mkdir -p \"" folder "\""); next }
        { sub(/^    /, ""); print > file }' "$tests/trees/$1.tree"
    environment+=("RUN_JAVA_ROOT=$work/host")
}

a_jar() {
    : >"${1:-$app/app.jar}"
}

# a_profile LINE...
a_profile() {
    printf '%s\n' "$@" >"$app/run-java.profile"
}

# with NAME=VALUE...
with() {
    environment+=("$@")
}

# run_java ARGUMENT...; what it wrote is in $output and $stderr.
run_java() {
    run --separate-stderr env -i "${environment[@]}" "${shell_under_test[@]}" "$script" "$@"
}

# planned LIMIT [OPTION...]: its options for a container that this one is not.
planned() {
    run_java options --limit "$@"
    succeeds
}

succeeds() {
    [ "$status" = 0 ] || fails_because "it ended with status $status"
}

# refused STATUS PART...: it said why in three parts.
refused() {
    [ "$status" = "$1" ] || fails_because "it ended with status $status and not $1"
    shift
    local part
    for part in 'ERROR: ' '  why: ' '  what to do: ' "$@"; do
        [[ $stderr == *"$part"* ]] || fails_because "it did not say \"$part\""
    done
}

# has WORD...: each is one of the printed options.
has() {
    local word
    for word in "$@"; do
        [[ " ${output//$'\n'/ } " == *" $word "* ]] || fails_because "there is no $word"
    done
}

# lacks TEXT...
lacks() {
    local text
    for text in "$@"; do
        [[ $output != *"$text"* ]] || fails_because "there is \"$text\""
    done
}

# got ARGUMENT...: java got each of them as one.
got() {
    local argument
    for argument in "$@"; do
        [[ $output == *"<$argument>"* ]] || fails_because "java did not get <$argument>"
    done
}

# heap: the -Xmx that was computed, in MB.
heap() {
    [[ $output =~ -Xmx([0-9]+)m ]] || fails_because "there is no -Xmx"
    echo "${BASH_REMATCH[1]}"
}

fails_because() {
    printf '%s; it printed:\n%s\n%s\n' "$1" "$output" "$stderr" >&2
    return 1
}

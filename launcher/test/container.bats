#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # launcher.bash and bats set variables; texts are for others to expand
# For real: the JVMs of this host, and cgroups that are made and removed here.

load launcher

setup_file() {
    ! command -v javac >/dev/null || javac --release 11 -d "$BATS_FILE_TMPDIR" "$BATS_TEST_DIRNAME/Churn.java"
}

teardown() {
    local folder
    for folder in "${made[@]}"; do
        rmdir "$folder"
    done
}

# The JVMs that there are, by their folders.
jvms() {
    local home
    for home in /usr/lib/jvm/* /opt/* "${tests%/*/*}"/jvms/*; do
        [ ! -x "$home/bin/java" ] || [ -L "$home" ] || echo "$home"
    done
}

# a_java: the one on the PATH, in the place of the one that prints its arguments.
a_java() {
    command -v java >/dev/null || skip "there is no java on the PATH"
    rm -r "$work/jdk"
    with "RUN_JAVA_ROOT="
}

# a_cgroup CONTROLLER FILE VALUE: what is run after this is in a cgroup of version 1 below one that has this limit.
a_cgroup() {
    local folder=/sys/fs/cgroup/$1/wallfinder-launcher-$$
    [ "$(id -u)" = 0 ] || skip "it takes root to make a cgroup"
    mkdir "$folder" 2>/dev/null || skip "there is no controller $1 of version 1 that can be used"
    made=("$folder" "${made[@]}")
    echo "$3" >"$folder/$2"
    mkdir "$folder/inner"
    made=("$folder/inner" "${made[@]}")
    inside+=("$folder/inner/cgroup.procs")
}

# started_inside: by the script, in those cgroups.
started_inside() {
    run --separate-stderr env -i "${environment[@]}" sh -c '
        while [ "$1" != -- ]; do echo $$ >"$1" || exit; shift; done; shift; exec "$@"' \
        enter "${inside[@]}" -- "${shell_under_test[@]}" "$script"
}

@test "every JVM here knows each option that it gets" {
    local home limit found=0
    for home in $(jvms); do
        with "PATH=$home/bin:$PATH" JAVA_DIAGNOSTICS=1 RUN_JAVA_ROOT=
        for limit in 96m 1g; do
            planned "$limit" --cpus 1
            read -r -a options <<<"$output"
            run "$home/bin/java" "${options[@]}" -version
            succeeds
        done
        found=$((found + 1))
    done
    [ "$found" -gt 0 ] || skip "no JVM is here"
}

@test "the heap of a JVM in a cgroup is the limit above it less what the rule says" {
    a_java
    a_cgroup memory memory.limit_in_bytes 200M
    a_profile outside-mb=99
    with JAVA_MAIN_CLASS=-version JAVA_OPTIONS=-XX:+PrintFlagsFinal
    started_inside
    succeeds
    [[ $output =~ MaxHeapSize\ +=\ 104857600 && $output =~ UseSerialGC\ +=\ true ]]
}

@test "a JVM sees as many processors as the quota above it grants" {
    a_java
    a_cgroup cpu cpu.cfs_quota_us 50000
    with JAVA_MAIN_CLASS=-version JAVA_OPTIONS=-XX:+PrintFlagsFinal
    started_inside
    succeeds
    [[ $output =~ ActiveProcessorCount\ +=\ 1 ]]
}

@test "a program that fills its heap lives within its limit" {
    a_java
    [ -e "$BATS_FILE_TMPDIR/Churn.class" ] || skip "there is no javac"
    a_cgroup memory memory.limit_in_bytes 64M
    a_profile classes=700 threads=16 live-mb=12
    with "JAVA_CLASSPATH=$BATS_FILE_TMPDIR" JAVA_MAIN_CLASS=Churn
    started_inside
    succeeds
    [[ $output == *churned* ]]
}

@test "a heap that is known to be too small is not even tried" {
    a_cgroup memory memory.limit_in_bytes 64M
    a_profile classes=700 threads=16 live-mb=40
    with JAVA_MAIN_CLASS=Churn RUN_JAVA_ROOT=
    started_inside
    refused 1 "a limit of 64 MB" "40 MB are known"
    lacks '<'
}

@test "a container may have nowhere to write" {
    [ "$(id -u)" = 0 ] || skip "it takes root to make a read-only file system"
    mkdir "$work/host"
    run --separate-stderr unshare --mount sh -c '
        mount --rbind / "$1" && mount -o remount,ro,bind "$1" && exec chroot "$@"' \
        sh "$work/host" env -i "${environment[@]}" "${shell_under_test[@]}" "$script" options --limit 256m
    succeeds
    has -Xmx141m
    [ -z "$stderr" ]
}

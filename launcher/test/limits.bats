#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # launcher.bash and bats set variables; texts are for others to expand
# What the kernel grants, as it stands in recorded trees of files.

load launcher

# granted TREE: the limits that the script reports to the application.
granted() {
    a_tree "$1"
    a_jar
    run_java
    succeeds
    memory=$(sed -n 's/^CONTAINER_MAX_MEMORY=//p' "$work/environment")
    cores=$(sed -n 's/^CONTAINER_CORE_LIMIT=//p' "$work/environment")
}

@test "version 1: the limits of the cgroup above ours bind" {
    granted v1-above
    [ "$memory" = 209715200 ]
    [ "$cores" = 2 ]
}

@test "version 1: a limit above what is mounted in the container binds" {
    granted v1-container
    [ "$memory" = 419430400 ]
    [ "$cores" = 3 ]
}

@test "version 1: no limit is none" {
    granted v1-unlimited
    [ -z "$memory" ]
    [ -z "$cores" ]
    lacks -Xmx ActiveProcessorCount
}

@test "version 2: a container has its limits" {
    granted v2-container
    [ "$memory" = 268435456 ]
    [ "$cores" = 2 ]
    got -XX:ActiveProcessorCount=2
}

@test "version 2: of all cgroups up to the root the least limit counts" {
    granted v2-above
    [ "$memory" = 1073741824 ]
    [ "$cores" = 2 ]
}

@test "version 2: no limit is not the memory of the host" {
    granted v2-unlimited
    [ -z "$memory" ]
    [ -z "$cores" ]
    lacks -Xmx
}

@test "a set of processors counts, and a limit above the host's memory is none" {
    granted v2-cpuset
    [ -z "$memory" ]
    [ "$cores" = 4 ]
}

@test "where both versions are mounted, the one with the controller counts" {
    granted hybrid
    [ "$memory" = 314572800 ]
    [ -z "$cores" ]
}

@test "a limit that was found by who started us counts where we find none" {
    with CONTAINER_MAX_MEMORY=268435456
    granted v1-unlimited
    [ "$memory" = 268435456 ]
}

@test "a host without cgroups has no limit" {
    a_jar
    run_java
    succeeds
    lacks -Xmx ActiveProcessorCount
}

@test "a quota counts where the number of processors is hidden" {
    a_tree v2-container
    rm "$work/host/proc/self/status"
    run_java options --cpu
    [ "$output" = -XX:ActiveProcessorCount=2 ]
}

@test "--explain names the source of each limit" {
    a_tree v2-above
    run_java options --explain
    succeeds
    [[ $output == *"memory: 1024 MB, /sys/fs/cgroup/system.slice/shop.slice/memory.max"* ]]
    [[ $output == *"processors: 2, /sys/fs/cgroup/system.slice/cpu.max"* ]]
}

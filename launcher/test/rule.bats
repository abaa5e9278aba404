#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # launcher.bash and bats set variables; texts are for others to expand
# The options that follow from the limits, and their arithmetic.

load launcher

@test "a small container has a heap by the rule, C1 alone and the serial collector" {
    planned 256m --classes 10000 --threads 100
    # 22 + 13 + 100 x 0.1 + 10000 x 5.9 KB are 102.6 MB
    [ "$(heap)" = 151 ]
    has -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ArchiveRelocationMode=0 -XX:+ExitOnOutOfMemoryError
}

@test "a large container has C2, the JVM's own collector, and a heap that leaves room for both" {
    planned 2g --cpus 4 --classes 10000 --threads 100
    lacks TieredStopAtLevel 'Use' ArchiveRelocationMode
    # 2048 MB less 35 of code and the rest as above; the collector keeps a tenth of the heap
    [ "$(heap)" = 1748 ]
}

@test "300 MB are small, 301 are not" {
    planned 300m
    has -XX:TieredStopAtLevel=1
    planned 301m
    lacks TieredStopAtLevel
}

@test "the profile of an application counts, and the command line counts more" {
    a_profile '# measured' 'classes = 5000' 'threads=20' ''
    planned 200m
    [ "$(heap)" = 132 ]
    planned 200m --classes 10000
    [ "$(heap)" = 103 ]
}

@test "a profile may have other figures than the table of the rule" {
    a_profile tight-mb=400 class-kb=4 processor-mb=200
    planned 400m --classes 10240 --threads 10 --cpus 9
    # 400 - 22 - 13 - 1 - 40
    [ "$(heap)" = 320 ]
    has -XX:TieredStopAtLevel=1 -XX:ActiveProcessorCount=2
}

@test "what was measured as a whole takes the place of the sum" {
    a_profile outside-mb=135
    planned 190m
    [ "$(heap)" = 54 ]
}

@test "a profile may stand anywhere, and must then be there" {
    echo outside-mb=100 >"$work/mine"
    with "RUN_JAVA_PROFILE=$work/mine"
    planned 200m
    [ "$(heap)" = 99 ]
    rm "$work/mine"
    run_java options --limit 200m
    refused 1 "$work/mine"
}

@test "a profile that cannot be read is refused by the line that is wrong" {
    a_profile classes=many
    run_java options --limit 200m
    refused 1 "classes=many" "no number"
    a_profile clases=10
    run_java options --limit 200m
    refused 1 "clases=10"
}

@test "classes from an archive take less" {
    with JAVA_OPTIONS=-XX:SharedArchiveFile=app.jsa
    planned 200m --classes 10000 --threads 100
    # 2.8 KB a class
    [ "$(heap)" = 125 ]
    has -XX:ArchiveRelocationMode=0
    planned 1g
    has -XX:ArchiveRelocationMode=0
}

@test "a heap below what is known to be in use is refused, with the limit that would do" {
    a_profile outside-mb=100 live-mb=50
    run_java options --limit 140m
    refused 1 "a limit of 140 MB leaves it 39 MB, and 50 MB are known to be needed" "151 MB at least"
    a_jar
    with CONTAINER_MAX_MEMORY=146800640
    run_java
    refused 1 "151 MB at least"
    [[ $output != *"<"* ]]
    planned 151m
    [ "$(heap)" = 50 ]
    a_profile outside-mb=100 live-mb=20 loaded-mb=50
    run_java options --limit 140m
    refused 1 "50 MB are known to be needed" "151 MB at least"
    # what is under way need not be old: there is a third of 50 MB left for the young generation
    planned 151m
    lacks MaxNewSize
}

@test "what lives has room in the old generation, where a third for the young would leave too little" {
    a_profile outside-mb=100 live-mb=40
    planned 164m
    # 63 MB of heap less 1.3 x 40
    has -Xmx63m -XX:MaxNewSize=11m
    planned 180m
    # 79 MB less 52 are more than a third
    has -Xmx79m
    lacks MaxNewSize
    planned 150m
    # a tenth of 49 MB at least
    has -Xmx49m -XX:MaxNewSize=4m
    for own in -Xmn9m -XX:NewRatio=3 -XX:+UseParallelGC; do
        with "JAVA_OPTIONS=$own"
        planned 164m
        lacks MaxNewSize
    done
}

@test "a limit that leaves no heap at all is refused, where that was measured" {
    a_profile outside-mb=135
    run_java options --limit 130m
    refused 1 "leaves it -4 MB" "138 MB at least"
    with JAVA_MAX_MEM_RATIO=0
    planned 130m
    lacks -Xmx
}

@test "who sets the heap tries what is known to fail" {
    a_profile outside-mb=100 live-mb=50
    with JAVA_OPTIONS=-Xmx30m
    planned 140m
}

@test "without a profile the size of the jars gives the need, and the heap is a share of the limit" {
    planned 256m
    unknown=$(heap)
    a_jar
    planned 256m
    small=$(heap)
    truncate -s 40M "$app/app.jar"
    planned 256m
    large=$(heap)
    truncate -s 900M "$app/app.jar"
    planned 256m
    huge=$(heap)
    echo "$small $unknown $large $huge"
    [ "$small" -gt "$unknown" ] && [ "$unknown" -gt "$large" ] && [ "$large" -gt "$huge" ] && [ "$huge" -ge 64 ]
    planned 16g
    [ "$(heap)" = 12288 ]
}

@test "libraries beside a small jar count" {
    a_jar
    mkdir -p "$app/lib/main"
    planned 256m
    alone=$(heap)
    truncate -s 40M "$app/lib/main/framework.jar"
    planned 256m
    [ "$(heap)" -lt "$alone" ]
}

@test "a guess never takes the heap away, but warns" {
    planned 64m
    [ "$(heap)" = 16 ]
    [[ $stderr == *WARNING*--explain* ]]
}

@test "the heap that is asked for as a part of the limit is given" {
    with JAVA_MAX_MEM_RATIO=40 JAVA_INIT_MEM_RATIO=25
    planned 512m
    has -Xmx205m -Xms128m
}

@test "a ratio of 0 leaves the heap to the JVM" {
    with JAVA_MAX_MEM_RATIO=0 JAVA_INIT_MEM_RATIO=10
    planned 256m
    lacks -Xmx
    has -Xms26m
    has -XX:TieredStopAtLevel=1
}

@test "a ratio or a number of processors that is none is refused" {
    for setting in JAVA_MAX_MEM_RATIO=half JAVA_INIT_MEM_RATIO=25% JAVA_CORE_LIMIT=1.5; do
        run --separate-stderr env -i "${environment[@]}" "$setting" "${shell_under_test[@]}" "$script" options
        refused 1 "${setting%=*} is no whole number" "${setting#*=}"
    done
}

@test "an initial heap is no larger than the heap" {
    with JAVA_INIT_MEM_RATIO=90
    planned 256m --classes 10000 --threads 100
    has -Xms151m -Xmx151m
}

@test "no -Xmx is added to the user's own memory flags, wherever the JVM reads them" {
    echo '-XX:MaxRAMPercentage=60' >"$app/memory.args"
    for setting in JAVA_OPTIONS=-Xmx100m JAVA_TOOL_OPTIONS=-XX:MaxRAMPercentage=60.0 JDK_JAVA_OPTIONS=-XX:MaxHeapSize=99m \
        _JAVA_OPTIONS=-XX:MaxRAMFraction=2 JAVA_OPTIONS=@memory.args JDK_JAVA_OPTIONS=@memory.args \
        JAVA_TOOL_OPTIONS=-XX:VMOptionsFile=memory.args 'JAVA_OPTIONS="-XX:MinRAMPercentage=70"' JAVA_OPTIONS=-XX:MaxRAM=1g; do
        a_tree v2-container
        run --separate-stderr env -i "${environment[@]}" "$setting" "${shell_under_test[@]}" "$script" options --memory --explain
        succeeds
        echo "$setting"
        [[ $output != *$'\n'-Xmx* ]] && [[ $output == *"no -Xmx: "* ]]
    done
}

@test "Java 8 reads no JDK_JAVA_OPTIONS" {
    a_jvm 1.8.0_412
    with JDK_JAVA_OPTIONS=-Xmx100m
    planned 256m
    has -Xmx141m
}

@test "an initial heap of the user's that is above the rule's heap gets no -Xmx below it" {
    with JAVA_OPTIONS=-Xms200m
    planned 256m
    lacks -Xmx
    with JAVA_OPTIONS=-Xms100m
    planned 256m
    has -Xmx141m
}

@test "the user's own compiler, collector and processors stay" {
    with 'JAVA_OPTIONS=-XX:TieredStopAtLevel=4 -XX:+UseG1GC -XX:ActiveProcessorCount=3 -XX:+CrashOnOutOfMemoryError'
    planned 256m --cpus 1
    lacks TieredStopAtLevel=1 UseSerialGC ActiveProcessorCount=1 ExitOnOutOfMemoryError
    # G1 keeps a tenth of the heap, and C2 has its code
    [ "$(heap)" = 109 ]
}

@test "the heap hardly follows the processors of the host" {
    for limit in 100m 160m 200m 256m 300m 512m 1g; do
        planned "$limit" --cpus 1
        one=$(heap)
        planned "$limit" --cpus 224
        many=$(heap)
        echo "$limit: $one, $many"
        [ "$one" = "$many" ]
    done
}

@test "few processors are shown where there is little memory" {
    planned 128m --cpus 224
    has -XX:ActiveProcessorCount=2
    planned 50m --cpus 224
    has -XX:ActiveProcessorCount=1
    planned 1g --cpus 2.5
    has -XX:ActiveProcessorCount=3
    with JAVA_CORE_LIMIT=7
    planned 128m --cpus 224
    has -XX:ActiveProcessorCount=7
    with JAVA_CORE_LIMIT=0
    planned 128m --cpus 224
    lacks ActiveProcessorCount
}

@test "each JVM gets what it knows" {
    a_jvm 11.0.21
    planned 256m --cpus 1
    lacks ArchiveRelocationMode
    has -XX:ActiveProcessorCount=1 -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx141m
    a_jvm 1.8.0_181
    planned 256m --cpus 1
    lacks ActiveProcessorCount ArchiveRelocationMode
    has -XX:ParallelGCThreads=1 -XX:CICompilerCount=1
    a_jvm 26-ea
    planned 256m
    lacks ArchiveRelocationMode
    has -Xmx141m
}

@test "before Java 10 the options are those of run-java.sh where there is memory" {
    a_jvm 1.8.0_412
    planned 4g
    has -XX:+UseParallelGC -XX:GCTimeRatio=4 -XX:AdaptiveSizePolicyWeight=90 -XX:MinHeapFreeRatio=20 -XX:MaxHeapFreeRatio=40
}

@test "a JVM that is not HotSpot gets none of HotSpot's options" {
    a_jvm 17.0.9 'JVM_VARIANT="Openj9"'
    planned 256m
    lacks -XX -Xmx
    with JAVA_MAX_MEM_RATIO=50
    planned 256m
    has -Xmx128m
}

@test "the version is that of the JVM which will run" {
    with JAVA_VERSION=11.0.1 JAVA_HOME=/nowhere
    run_java options --explain
    [[ $output == *"Java: 25, $work/jdk/release"* ]]
    with JAVA_MAJOR_VERSION=17
    run_java options --explain
    [[ $output == *"Java: 17, JAVA_MAJOR_VERSION"* ]]
}

@test "without a release file the version comes from a variable, or else from java itself" {
    rm "$work/jdk/release"
    with JAVA_TOOL_OPTIONS=-Dx=9
    printf '#!/bin/sh\n[ -z "$JAVA_TOOL_OPTIONS" ] || echo "Picked up 9"\necho "openjdk version \\"1.8.0_292\\"" >&2\n' >"$work/jdk/bin/java"
    run_java options --explain
    [[ $output == *"Java: 8, "*"java -version"* ]] || [[ $output == *"Java: 8, java -version"* ]]
    with JAVA_VERSION=8u412
    run_java options --explain
    [[ $output == *"Java: 8, JAVA_VERSION"* ]]
}

@test "--explain has the arithmetic" {
    planned 256m --cpus 2 --classes 10000 --threads 100 --explain
    [[ $output == *"151 MB = (256 MB limit - 103 MB) / 1.01"* ]]
    [[ $output == *"103 MB outside the heap = 22 the JVM + 13 code (C1) + 10.0 threads + 57.6 classes + direct buffers, not measured"* ]]
    a_profile direct-mb=10
    planned 256m --cpus 2 --classes 10000 --threads 100 --explain
    [[ $output == *"113 MB outside the heap = "*" classes + 10 direct"* ]]
}

@test "a plan that cannot be read is refused" {
    for words in '--limit' '--limit much' '--limit 5x' '--cpus two' '--classes' '--everything' 'memory'; do
        # shellcheck disable=SC2086 # words
        run_java options $words
        refused 2 "cannot read"
    done
}

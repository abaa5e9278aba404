#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # launcher.bash and bats set variables; texts are for others to expand
# The variables, files and subcommands that images made for run-java.sh rely on.

load launcher

# ---- what is started

@test "the only jar is started, with the arguments as they are" {
    a_jar
    a_jar "$app/original-app.jar"
    run_java run --user 'two words' '*' "it's"
    succeeds
    got -jar "$app/app.jar" --user 'two words' '*' "it's"
    got -cp .
}

@test "a war is as good, and run may be left out" {
    a_jar "$app/app.war"
    run_java --user roland
    got -jar "$app/app.war" --user roland
}

@test "no jar, or two, is an error that says how many there are" {
    run_java
    refused 1 JAVA_MAIN_CLASS JAVA_APP_JAR "0 found in $app"
    a_jar
    a_jar "$app/other.jar"
    run_java
    refused 1 "2 found in $app"
    with "JAVA_APP_DIR=$app/nowhere"
    run_java
    refused 1 "$app/nowhere"
}

@test "no java is an error of its own" {
    a_jar
    rm "$work/jdk/bin/java"
    ln -s "$(type -P awk)" "$(type -P printf)" "$work/bin" # not every shell has printf of its own
    shell_under_test=("$(command -v "${shell_under_test[0]}")" "${shell_under_test[@]:1}")
    with "PATH=$work/bin" JAVA_HOME=/nowhere
    run_java
    refused 1 "there is no java" /nowhere
}

@test "JAVA_APP_JAR is a path, or a name in the folder of the application or of the libraries" {
    a_jar
    a_jar "$app/other.jar"
    mkdir "$work/lib"
    a_jar "$work/lib/far.jar"
    with JAVA_APP_JAR=other.jar "JAVA_LIB_DIR=$work/lib"
    run_java
    got "$app/other.jar"
    with JAVA_APP_JAR=far.jar
    run_java
    got "$work/lib/far.jar" ".:$work/lib"
    with "JAVA_APP_JAR=$app/app.jar"
    run_java
    got "$app/app.jar"
    with JAVA_APP_JAR=none.jar
    run_java
    refused 1 "there is no none.jar" "$app/none.jar $work/lib/none.jar"
}

@test "a main class has the jar and all jars of the folder on its class path" {
    with JAVA_MAIN_CLASS=shop.Main
    run_java first
    got shop.Main first ".:$app/*"
    lacks '<-jar>'
    a_jar
    with JAVA_APP_JAR=app.jar
    run_java
    got ".:$app/app.jar:$app/*"
}

@test "a main class may be one of a module" {
    with 'JAVA_MAIN_CLASS=-m shop/shop.Main'
    run_java
    got -m shop/shop.Main
}

@test "a file with the class path is taken, of one line or of several" {
    with JAVA_MAIN_CLASS=shop.Main
    a_jar
    printf 'lib/*\napp.jar\n\n/opt/other.jar' >"$app/classpath"
    run_java
    got ".:$app/lib/*:$app/app.jar:/opt/other.jar"
    with JAVA_APP_JAR=app.jar
    run_java
    got ".:$app/app.jar:$app/lib/*:/opt/other.jar"
    echo 'a.jar:b.jar' >"$app/classpath"
    run_java
    got ".:$app/app.jar:a.jar:b.jar"
    with JAVA_CLASSPATH=mine.jar:yours.jar
    run_java
    got mine.jar:yours.jar
}

@test "paths may have spaces" {
    mkdir "$work/my app"
    a_jar "$work/my app/the app.jar"
    with "JAVA_APP_DIR=$work/my app" "JAVA_OPTIONS=-Dx='$work/my app'"
    run_java
    got "$work/my app/the app.jar" "-Dx=$work/my app"
}

@test "the application runs in its folder and sees what was found out" {
    a_tree v2-container
    a_jar
    run_java
    for line in "PWD=$app" "JAVA_APP_DIR=$app" "JAVA_LIB_DIR=$app" "JAVA_APP_JAR=$app/app.jar" JAVA_MAJOR_VERSION=25 \
        CONTAINER_MAX_MEMORY=268435456 CONTAINER_CORE_LIMIT=2 MALLOC_ARENA_MAX=1; do
        grep -qxF "$line" "$work/environment" || fails_because "there is no $line"
    done
    with MALLOC_ARENA_MAX=4
    run_java
    grep -qxF MALLOC_ARENA_MAX=4 "$work/environment"
}

@test "run-env.sh sets variables, and the one of the application comes last" {
    mkdir "$work/opt"
    cp "$script" "$work/opt/run-java"
    script=$work/opt/run-java
    printf 'JAVA_APP_DIR="%s"\nJAVA_MAIN_CLASS=First\nJAVA_OPTIONS="-Dfirst=$UNSET_ANYWHERE"\n' "$app" >"$work/opt/run-env.sh"
    echo 'JAVA_MAIN_CLASS=Second' >"$app/run-env.sh"
    with JAVA_APP_DIR=
    run_java
    got Second -Dfirst=
}

@test "a name for the process is given where the shell can" {
    a_jar
    with JAVA_APP_NAME=ghandi
    run_java
    succeeds
    got "$app/app.jar"
    if "${shell_under_test[@]}" -c '(PATH=/ && exec -a test true) 2>/dev/null'; then
        [[ ${lines[0]} == "exec -a ghandi $work/jdk/bin/java "* ]]
    elif "${shell_under_test[@]}" -c '(exec -a test true) 2>/dev/null'; then
        [[ ${lines[0]} == "exec -a ghandi java "* ]]
    else
        [[ ${lines[0]} == "exec java "* ]]
    fi
}

# ---- what is printed

@test "the command line comes first, as a shell would read it" {
    a_jar
    with 'JAVA_OPTIONS=-Da="b c" -Dd=$HOME'
    run_java "it's" 'x;y'
    [[ ${lines[0]} == "exec java "*" '-Da=b c' '-Dd=\$HOME' -cp . -jar $app/app.jar 'it'\\''s' 'x;y'" ]]
}

@test "HIDE_CMD_LINE hides it" {
    a_jar
    for hidden in 1 true; do
        with HIDE_CMD_LINE=$hidden
        run_java
        lacks 'exec java'
        got "$app/app.jar"
    done
}

@test "the script works without its lines that begin with exec" {
    a_tree v2-container
    a_jar
    sed 's/^[ ]*exec /# exec /' "$script" >"$work/bin/not-started"
    echo 'echo "$CONTAINER_MAX_MEMORY $CONTAINER_CORE_LIMIT $JAVA_MAJOR_VERSION"' >>"$work/bin/not-started"
    script=$work/bin/not-started
    run_java
    succeeds
    [[ ${lines[0]} == "exec java "* ]]
    [ "${lines[1]}" = "268435456 2 25" ]
}

# ---- the user's options

@test "options with spaces stay whole, and nothing is expanded or run" {
    a_jar
    touch "$app/-Dx=1"
    with 'JAVA_OPTIONS=-Da="b c"  -Dd='"'e  \"f'"' -Dx=* -Dg=$HOME
-Dh=`id` -Di=\ '
    run_java
    succeeds
    got '-Da=b c' '-Dd=e  "f' '-Dx=*' '-Dg=$HOME' '-Dh=`id`' "-Di=\\"
}

@test "a quote without its partner is a letter" {
    a_jar
    with "JAVA_OPTIONS=-Da=it's -Db=2"
    run_java
    got "-Da=it's" -Db=2
}

@test "the user's options come last, since the JVM takes the last" {
    a_jar
    with JAVA_OPTIONS=-Dx=1
    run_java
    [[ ${lines[0]} == *"-XX:+ExitOnOutOfMemoryError -Dx=1 -cp"* ]]
}

@test "run-java-options adds to JAVA_OPTIONS: the program, or before it the file in /opt" {
    a_jar
    printf '#!/bin/sh\necho "-Dprogram=\\"a b\\" -Xmx77m"\n' >"$work/bin/run-java-options"
    chmod +x "$work/bin/run-java-options"
    with JAVA_OPTIONS=-Dx=1
    run_java
    got -Dx=1 '-Dprogram=a b' -Xmx77m
    mkdir -p "$work/empty/opt"
    echo 'echo -Dfile=1' >"$work/empty/opt/run-java-options"
    run_java
    got -Dfile=1
    lacks program
}

# ---- debugging, diagnostics

@test "each of the three variables switches debugging on, for all addresses from Java 9 on" {
    for variable in JAVA_DEBUG JAVA_ENABLE_DEBUG JAVA_DEBUG_ENABLE; do
        run --separate-stderr env -i "${environment[@]}" "$variable=true" "${shell_under_test[@]}" "$script" options --debug
        [ "$output" = '-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005' ]
    done
    a_jvm 1.8.0_412
    with JAVA_DEBUG=1 JAVA_DEBUG_PORT=8008
    run_java options --debug
    has -agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=8008
}

@test "JAVA_DEBUG_SUSPEND suspends unless it says no" {
    with JAVA_DEBUG=1
    for no in false no n 0 ''; do
        with JAVA_DEBUG_SUSPEND=$no
        run_java options --debug
        [[ $output == *suspend=n* ]]
    done
    with JAVA_DEBUG_SUSPEND=true
    run_java options --debug
    [[ $output == *suspend=y* ]]
}

@test "debugging that is switched off is off" {
    with JAVA_DEBUG=false
    run_java options --debug
    [ -z "$output" ]
}

@test "JAVA_DIAGNOSTICS shows memory and collections" {
    with JAVA_DIAGNOSTICS=1
    run_java options --diagnostics
    has -XX:NativeMemoryTracking=summary '-Xlog:gc*:stdout:time' -XX:+UnlockDiagnosticVMOptions
    a_jvm 1.8.0_412
    run_java options --diagnostics
    has -XX:+PrintGC
    lacks Xlog
}

# ---- proxies

@test "proxies are passed to Java" {
    with HTTP_PROXY=http://proxy:3128 HTTPS_PROXY=https://secure:4128/path 'no_proxy=localhost, .example.com,10.0.0.1'
    run_java options --proxy
    [ "$output" = '-Dhttps.proxyHost=secure -Dhttps.proxyPort=4128 -Dhttp.proxyHost=proxy -Dhttp.proxyPort=3128 -Dhttp.nonProxyHosts=localhost|*.example.com|10.0.0.1' ]
}

@test "names in small letters come first, and what is already as Java wants it stays" {
    with http_proxy=small HTTP_PROXY=large:1 'NO_PROXY=.a.com| .b.com'
    run_java options --proxy
    [ "$output" = '-Dhttp.proxyHost=small -Dhttp.nonProxyHosts=*.a.com|*.b.com' ]
}

@test "a proxy may have an IPv6 address, and a user's name is left out with a warning" {
    with 'http_proxy=http://me:secret@[2001:db8::1]:3128'
    run_java options --proxy
    [ "$output" = '-Dhttp.proxyHost=[2001:db8::1] -Dhttp.proxyPort=3128' ]
    [[ $stderr == *WARNING* && $stderr != *secret* ]]
}

@test "a proxy's URL is never run" {
    cd "$work"
    with 'http_proxy=http://$(touch ran):1' "https_proxy=';touch ran;'" 'HTTP_PROXY=`touch ran`'
    run_java options --proxy
    [ ! -e ran ]
}

# ---- the subcommand

@test "options prints all on one line, or the groups that are asked for" {
    with JAVA_OPTIONS=-Dx=1 JAVA_DEBUG=1 http_proxy=p:1 JAVA_DIAGNOSTICS=1
    planned 256m --cpus 1
    [ "${#lines[@]}" = 1 ]
    has -Dx=1 -Dhttp.proxyHost=p -Xmx141m -XX:+UseSerialGC
    planned 256m --memory --jit
    [ "$output" = '-Xmx141m -XX:+UnlockDiagnosticVMOptions -XX:ArchiveRelocationMode=0 -XX:TieredStopAtLevel=1' ]
    planned 256m --gc
    [ "$output" = '-XX:+UseSerialGC -XX:+ExitOnOutOfMemoryError' ]
    planned 256m --cpus 1 --cpu
    [ "$output" = -XX:ActiveProcessorCount=1 ]
    planned 256m --cpus 1 --java-default
    has -Xmx141m -XX:TieredStopAtLevel=1 -XX:ActiveProcessorCount=1 -XX:NativeMemoryTracking=summary
    lacks proxy jdwp -Dx
}

@test "options with spaces are quoted as JDK_JAVA_OPTIONS reads them" {
    with 'JAVA_OPTIONS=-Da="b c" -De=f|g'
    run_java options
    [[ $output == *"'-Da=b c' -De=f|g" ]]
}

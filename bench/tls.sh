# shellcheck shell=bash
# The TLS rows of bench/peers, which reads this file. The server is nginx, with one worker, a small answer
# from its configuration, and a certificate made for the run. The caller sets `tls_files`, a folder.
# shellcheck disable=SC2154

# tls_start PORT: serves https on PORT, and nginx's own count of requests by plain HTTP on the next port.
# Sets `tls_port`, and `tls_server`, the worker's process.
tls_start() {
    local port=$1 master
    tls_port=$port
    mkdir -p "$tls_files"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=bench \
        -addext subjectAltName=IP:127.0.0.1 -keyout "$tls_files/key.pem" -out "$tls_files/cert.pem" 2>/dev/null || return
    cat >"$tls_files/nginx.conf" <<-END
		worker_processes 1;
		worker_rlimit_nofile 8192;
		pid $tls_files/pid;
		error_log $tls_files/error.log;
		events { worker_connections 4096; }
		http {
		    access_log off;
		    keepalive_requests 1000000000;
		    keepalive_timeout 600;
		    server {
		        listen 127.0.0.1:$port ssl backlog=4096;
		        ssl_certificate $tls_files/cert.pem;
		        ssl_certificate_key $tls_files/key.pem;
		        ssl_protocols TLSv1.2 TLSv1.3;
		        ssl_session_cache shared:all:10m;
		        location / { return 200 "ok\n"; }
		    }
		    server {
		        listen 127.0.0.1:$((port + 1));
		        location / { stub_status; }
		    }
		}
	END
    taskset -c 0 nginx -p "$tls_files" -e "$tls_files/error.log" -c "$tls_files/nginx.conf" || return
    for _ in {1..100}; do
        master=$(cat "$tls_files/pid" 2>/dev/null) && tls_server=$(cat "/proc/$master/task/$master/children") &&
            [ -n "$tls_server" ] && tls_server=${tls_server% } && return 0
        sleep 0.05
    done
    return 1
}

tls_stop() {
    [ ! -s "$tls_files/pid" ] || kill "$(cat "$tls_files/pid")" 2>/dev/null
}

# Prints what nginx counted since the last call, without the requests for this count: "requests nanos
# cpuNanos". The time runs from call to call, so it includes a client's start.
tls_count() {
    local requests cpu nanos before
    exec 3<>"/dev/tcp/127.0.0.1/$((tls_port + 1))" || return
    printf 'GET / HTTP/1.0\r\n\r\n' >&3
    requests=$(sed -n 's/^ *[0-9]* [0-9]* \([0-9]*\) *\r*$/\1/p' <&3)
    exec 3>&-
    nanos=$(date +%s%N)
    cpu=$(awk -v ticks="$(getconf CLK_TCK)" '{ printf "%.0f", ($14 + $15) / ticks * 1e9 }' "/proc/$tls_server/stat")
    read -r -a before 2>/dev/null <"$tls_files/last" || before=(0 0 0)
    echo "$requests $nanos $cpu" >"$tls_files/last"
    echo "$((requests - before[0] - 1)) $((nanos - before[1])) $((cpu - before[2]))"
}

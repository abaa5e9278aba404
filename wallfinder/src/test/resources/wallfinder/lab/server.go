// A small HTTP/1.1 server in Go whose limits are all set by its options, most of them those of server.py.
// Its accept queue is as long as net.core.somaxconn: Go asks for that. With -lookup it looks that name up for
// each request, by Go's own resolver; without an address the answer is a 502. What a request carries is read
// after the latency. With -tls it reads tls.crt and tls.key in that folder, and with -close it closes each
// connection after one answer.
package main

import (
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"syscall"
	"time"
)

var (
	port    = flag.Int("port", 8080, "where to listen")
	workers = flag.Int("workers", 0, "requests at a time; 0: any number")
	latency = flag.Float64("latency", 0, "milliseconds that a request waits")
	cpu     = flag.Float64("cpu", 0, "milliseconds of CPU that it burns")
	memory  = flag.Int("memory", 0, "KiB that it holds meanwhile")
	body    = flag.Int("body", 3, "bytes of its answer")
	secure  = flag.String("tls", "", "a folder with tls.crt and tls.key")
	once    = flag.Bool("close", false, "close each connection after one answer")
	lookup  = flag.String("lookup", "", "a name that it looks up")
)

// RUSAGE_THREAD of getrusage(2).
const thread = 1

func used() time.Duration {
	var usage syscall.Rusage
	syscall.Getrusage(thread, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func burn() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for end := used() + time.Duration(*cpu*1e6); used() < end; {
	}
}

func main() {
	flag.Parse()
	answer := make([]byte, *body)
	resolver := net.Resolver{PreferGo: true}
	var places chan struct{}
	if *workers > 0 {
		places = make(chan struct{}, *workers)
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		if places != nil {
			places <- struct{}{}
			defer func() { <-places }()
		}
		held := make([]byte, *memory<<10)
		for i := 0; i < len(held); i += 4096 {
			held[i] = 1
		}
		if *cpu > 0 {
			burn()
		}
		status := http.StatusOK
		if *lookup != "" {
			if _, err := resolver.LookupHost(r.Context(), *lookup); err != nil {
				status = http.StatusBadGateway
			}
		}
		time.Sleep(time.Duration(*latency * 1e6))
		io.Copy(io.Discard, r.Body)
		runtime.KeepAlive(held)
		w.Header().Set("Held", fmt.Sprint(len(held)))
		w.Header().Set("Content-Length", fmt.Sprint(len(answer)))
		w.WriteHeader(status)
		w.Write(answer)
	}
	listener, err := net.Listen("tcp4", fmt.Sprintf("0.0.0.0:%d", *port))
	if err != nil {
		panic(err)
	}
	fmt.Println("ready")
	server := &http.Server{Handler: http.HandlerFunc(serve)}
	server.SetKeepAlivesEnabled(!*once)
	if *secure != "" {
		panic(server.ServeTLS(listener, *secure+"/tls.crt", *secure+"/tls.key"))
	}
	panic(server.Serve(listener))
}

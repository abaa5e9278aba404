// A web server that counts. It listens on a free port, prints it, and at the end of its input prints
// what it counted: connections, requests, bytes of bodies received, bytes sent (-1 with TLS, where they
// are not those of the answers).
//
//	server [CERTIFICATE KEY]
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
)

var connections, requests, bodyBytes, sentBytes atomic.Int64

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	connections.Add(1)
	return conn{c}, nil
}

type conn struct{ net.Conn }

func (c conn) Write(b []byte) (int, error) {
	// Before: whoever has got them may ask for the count at once.
	sentBytes.Add(int64(len(b)))
	n, err := c.Conn.Write(b)
	sentBytes.Add(int64(n - len(b)))
	return n, err
}

func serve(w http.ResponseWriter, r *http.Request) {
	n, _ := io.Copy(io.Discard, r.Body)
	bodyBytes.Add(n)
	requests.Add(1)
	io.WriteString(w, "ok\n")
}

func main() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	var all net.Listener = listener{l}
	if len(os.Args) > 2 {
		pair, err := tls.LoadX509KeyPair(os.Args[1], os.Args[2])
		if err != nil {
			panic(err)
		}
		sentBytes.Store(-1 << 62)
		all = tls.NewListener(all, &tls.Config{
			Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}})
	}
	fmt.Println(l.Addr().(*net.TCPAddr).Port)
	go func() { panic((&http.Server{Handler: http.HandlerFunc(serve)}).Serve(all)) }()
	io.Copy(io.Discard, os.Stdin)
	fmt.Println(connections.Load(), requests.Load(), bodyBytes.Load(), max(-1, sentBytes.Load()))
}

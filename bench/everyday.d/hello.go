// A web server as its author leaves it: net/http with its defaults.
package main

import (
	"fmt"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, "hello") })
	http.ListenAndServe("127.0.0.1:"+os.Args[1], nil)
}

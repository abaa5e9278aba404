// A web server as its author leaves it: Node's http server with its defaults.
require('http').createServer((request, response) => response.end('hello\n'))
    .listen(Number(process.argv[2]), '127.0.0.1');

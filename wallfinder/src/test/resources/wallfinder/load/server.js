// A web server that counts. It listens on a free port, prints it, and at the end of its input prints
// what it counted: connections, requests, bytes of bodies received, bytes sent (-1 with TLS, where they
// are not those of the answers).
//
//   node server.js [CERTIFICATE KEY]
'use strict';
const fs = require('fs');
const [certificate, key] = process.argv.slice(2);
const open = new Set();
let connections = 0, requests = 0, bodyBytes = 0, sentBytes = 0;

function serve(request, response) {
    request.on('data', piece => { bodyBytes += piece.length; });
    request.on('end', () => {
        requests++;
        response.end('ok\n');
    });
}

const server = certificate
    ? require('https').createServer(
        { cert: fs.readFileSync(certificate), key: fs.readFileSync(key) }, serve)
    : require('http').createServer(serve);
server.keepAliveTimeout = 60000;
server.on('connection', socket => {
    connections++;
    open.add(socket);
    socket.on('close', () => {
        open.delete(socket);
        sentBytes += socket.bytesWritten;
    });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on('end', () => {
    for (const socket of open) sentBytes += socket.bytesWritten;
    console.log(connections, requests, bodyBytes, certificate ? -1 : sentBytes);
    process.exit(0);
});

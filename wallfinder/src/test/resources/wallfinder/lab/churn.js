// Sends requests on several connections at once, each over a new connection that this end closes.
//
//   node churn.js HOST PORT REQUESTS AT_ONCE
'use strict';
const net = require('net');
const [host, port, requests, atOnce] = process.argv.slice(2);
const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
let begun = 0, answered = 0, errors = 0;

function next() {
    if (begun === Number(requests)) return;
    begun++;
    const socket = net.connect({ host, port: Number(port) }, () => socket.write(request));
    socket.setTimeout(10000, () => socket.destroy(new Error('late')));
    socket.on('data', data => {
        if (data.toString('latin1').startsWith('HTTP/1.1 200')) answered++;
        socket.end();
    });
    socket.on('error', () => { errors++; });
    socket.on('close', next);
}

for (let i = 0; i < Number(atOnce); i++) next();
process.on('exit', () => console.log(`answered: ${answered} errors: ${errors}`));

// A small HTTP/1.1 server in Node.js whose limits are all set by its options, most of them those of
// server.py: --port, --backlog, --workers (requests at a time), --latency and --cpu (milliseconds a
// request), --memory (KiB a request, for as long as it lasts) and --body (bytes of an answer). With --file
// it makes a file of --megabytes and reads --looks random pages of it for each request; without, these are
// pages of its own memory, and it writes to them. With --lookup it
// looks that name up first, two at a time (Node.js has half of its four threads for that); without an
// address the answer is a 502. What a POST carries is read after the latency. With --tls it reads tls.crt and
// tls.key in that folder. With --split 1 the head and the body of an answer are written in two
// parts. With --nodelay 0 Nagle's algorithm is on.
'use strict';
const dns = require('dns');
const fs = require('fs');
const given = require('util').parseArgs({
    options: Object.fromEntries(
        ['port', 'backlog', 'workers', 'latency', 'cpu', 'memory', 'body', 'file', 'megabytes', 'looks', 'lookup',
            'tls', 'split', 'nodelay']
            .map(name => [name, { type: 'string' }])),
}).values;
const number = (name, otherwise) => given[name] === undefined ? otherwise : Number(given[name]);
const [workers, latency, cpu] = [number('workers', Infinity), number('latency', 0), number('cpu', 0)];
const [memory, megabytes, looks] = [number('memory', 0), number('megabytes', 0), number('looks', 0)];
const body = given.body === undefined ? 'ok\n' : Buffer.alloc(Number(given.body), 'x');
const PAGE = 4096;
const page = Buffer.alloc(PAGE);
const file = given.file === undefined ? -1 : made(given.file);
const own = Buffer.alloc(file < 0 ? megabytes * (1 << 20) : 0);
// The kernel does not write pages of zeros to swap.
for (let i = 0; i < own.length; i += 1 << 20) require('crypto').randomFillSync(own, i, 1 << 20);
const waiting = [];
let working = 0;

function made(path) {
    const random = require('crypto').randomBytes(1 << 20);
    const descriptor = fs.openSync(path, 'w+');
    for (let i = 0; i < megabytes; i++) {
        fs.writeSync(descriptor, random);
        fs.fsyncSync(descriptor);
    }
    return descriptor;
}

function burn() {
    const used = () => { const all = process.cpuUsage(); return all.user + all.system; };
    const end = used() + cpu * 1000;
    while (used() < end);
}

function look() {
    const pages = megabytes * (1 << 20) / PAGE;
    for (let i = 0; i < looks; i++) {
        const at = Math.floor(Math.random() * pages) * PAGE;
        if (file < 0) own[at] ^= 1; else fs.readSync(file, page, 0, PAGE, at);
    }
}

function work(request, response) {
    working++;
    const held = memory ? Buffer.alloc(memory * 1024, 1) : page;
    if (cpu) burn();
    if (megabytes) look();
    const end = () => {
        response.setHeader('Held', held.length);
        if (number('split', 0)) {
            response.setHeader('Content-Length', body.length);
            response.flushHeaders();
        }
        response.end(body);
        working--;
        if (waiting.length > 0) work(...waiting.shift());
    };
    const read = () => { if (request.method === 'POST') request.once('end', end).resume(); else end(); };
    const wait = () => { if (latency) setTimeout(read, latency); else read(); };
    if (!given.lookup) {
        wait();
        return;
    }
    dns.lookup(given.lookup, failure => {
        if (failure) response.statusCode = 502;
        wait();
    });
}

function serve(request, response) {
    if (working < workers) work(request, response); else waiting.push([request, response]);
}

const pem = end => fs.readFileSync(`${given.tls}/tls.${end}`);
const server = given.tls
    ? require('https').createServer({ cert: pem('crt'), key: pem('key') }, serve)
    : require('http').createServer({ noDelay: number('nodelay', 1) === 1 }, serve);
server.keepAliveTimeout = 60000;
server.listen(
    { host: '0.0.0.0', port: number('port', 8080), backlog: number('backlog', 511) },
    () => console.log('ready'));

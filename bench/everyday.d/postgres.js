// Node's http server asks PostgreSQL for a row in each request, over a pool of 10 connections.
const waiting = [];
const idle = [];

// A message has a type (none at the start), its length and its content.
const message = (type, content) => {
    const bytes = Buffer.from(type + '\0\0\0\0' + content + '\0', 'latin1');
    bytes.writeInt32BE(bytes.length - type.length, type.length);
    return bytes;
};
const next = () => {
    while (waiting.length > 0 && idle.length > 0) {
        const connection = idle.pop();
        connection.response = waiting.shift();
        connection.write(message('Q', "SELECT 'hello'"));
    }
};
for (let i = 0; i < 10; i++) {
    const connection = require('net').connect(Number(process.argv[3]), '127.0.0.1');
    connection.setNoDelay(true);
    connection.write(message('', '\0\x03\0\0user\0postgres\0'));
    let bytes = Buffer.alloc(0);
    connection.on('data', data => {
        bytes = Buffer.concat([bytes, data]);
        while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
            const end = 1 + bytes.readInt32BE(1);
            const type = String.fromCharCode(bytes[0]);
            // A row: the number of its columns, the length of the first one, and its text.
            if (type === 'D') connection.response.end(bytes.subarray(11, end));
            if (type === 'Z') idle.push(connection);
            bytes = bytes.subarray(end);
        }
        next();
    });
}
require('http').createServer((request, response) => {
    waiting.push(response);
    next();
}).listen(Number(process.argv[2]), '127.0.0.1');

// Node's http server asks Redis for a value in each request, over one connection.
const redis = require('net').connect(Number(process.argv[3]), '127.0.0.1');
const waiting = [];
let text = '';
redis.on('data', data => {
    text += data;
    // An answer has two lines: its length and the value.
    for (let lines = text.split('\r\n'); lines.length > 2; lines = text.split('\r\n')) {
        text = lines.slice(2).join('\r\n');
        waiting.shift().end(lines[1] + '\n');
    }
});
redis.write('SET greeting hello\r\n');
redis.once('data', () => {
    text = '';
    require('http').createServer((request, response) => {
        waiting.push(response);
        redis.write('GET greeting\r\n');
    }).listen(Number(process.argv[2]), '127.0.0.1');
});

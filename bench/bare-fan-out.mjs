import { createServer, get } from 'node:http';

/**
 * A minimal fan-out: reads one event stream and writes each event unchanged to all clients. `/received`: time of receipt of
 * each update event, unix ms by its id. Usage: node bare-fan-out.mjs <stream url>
 */
const [source] = process.argv.slice(2);
const UPDATE = /^id: (\S+)\nevent: update\n/;
const MAX_KEPT = 1000;

const readers = new Set();
const received = new Map();
let first;
let rest = Buffer.alloc(0);

function pass(event) {
  // Clients expect a snapshot first, so new ones get that of this process.
  first ??= event;
  const [, id] = UPDATE.exec(event.toString('latin1', 0, 80)) ?? [];
  if (id !== undefined) received.set(id, performance.timeOrigin + performance.now());
  if (received.size > MAX_KEPT) received.delete(received.keys().next().value);
  for (const reader of readers) reader.write(event);
}

get(source, { agent: false }, (stream) => {
  stream.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      pass(rest.subarray(0, end + 2));
      rest = rest.subarray(end + 2);
    }
  });
  stream.on('end', () => process.exit(1));
});

const server = createServer((request, response) => {
  if (request.url === '/received') return response.end(JSON.stringify(Object.fromEntries(received)));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(first);
  readers.add(response);
  response.on('close', () => readers.delete(response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

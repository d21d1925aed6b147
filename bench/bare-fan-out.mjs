import { createServer, get } from 'node:http';

/**
 * The least that a fan-out can be: it reads one event stream and writes each event, byte for byte, to everybody who is
 * connected. `/came` tells when each update event came, unix ms by its id. Usage: node bare-fan-out.mjs URL_OF_THE_STREAM
 */
const [source] = process.argv.slice(2);
const UPDATE = /^id: (\S+)\nevent: update\n/;
const MAX_KEPT = 1000;

const readers = new Set();
const came = new Map();
let first;
let rest = Buffer.alloc(0);

function pass(event) {
  // As everybody's first event is a snapshot, a newcomer is given the one that this process began with.
  first ??= event;
  const [, id] = UPDATE.exec(event.toString('latin1', 0, 80)) ?? [];
  if (id !== undefined) came.set(id, performance.timeOrigin + performance.now());
  if (came.size > MAX_KEPT) came.delete(came.keys().next().value);
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
  if (request.url === '/came') return response.end(JSON.stringify(Object.fromEntries(came)));
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(first);
  readers.add(response);
  response.on('close', () => readers.delete(response));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

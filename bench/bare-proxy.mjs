import { Agent, createServer, request as forward } from 'node:http';

/** A minimal proxy over kept connections. Usage: node bare-proxy.mjs ORIGIN PREFIX */
const [origin, prefix] = process.argv.slice(2);
const { hostname, port } = new URL(origin);
const agent = new Agent({ keepAlive: true });

const server = createServer((request, response) => {
  const path = request.url.slice(prefix.length);
  const upstream = forward(
    { hostname, port, path, agent, headers: { authorization: 'Bearer bench' } },
    (answer) => {
      response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
      answer.pipe(response);
    },
  );
  upstream.on('error', () => response.destroy());
  upstream.end();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

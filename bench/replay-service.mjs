import { createServer } from 'node:http';

/**
 * A log service that answers from memory: it requests each page size once from the simulation and repeats those bytes, so that
 * the hop through a proxy is measured and not the service. Usage: node replay-service.mjs <log service origin> <key>
 */
const [origin, key] = process.argv.slice(2);
const answers = new Map();

async function answerFor(limit) {
  const page = answers.get(limit);
  if (page) return page;
  const response = await fetch(`${origin}/v1/logs?limit=${limit}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`the simulation answered ${response.status}`);
  const body = Buffer.from(await response.arrayBuffer());
  answers.set(limit, body);
  return body;
}

const server = createServer(async (request, response) => {
  const body = await answerFor(new URL(request.url, 'http://x').searchParams.get('limit') ?? '50');
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

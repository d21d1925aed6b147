import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';

const PARAMETERS: Record<string, string> = {
  '[network_id]': '8453',
  '[sequence]': '1',
  '[...id]': 'Crypto.BTC/USD',
  '[...path]': 'nothing/here',
};

/** Routes of the gateway. No manifest of the framework lists them. */
const GATEWAY_ROUTES = [
  '/api/logs/v1/logs?limit=1',
  ...['updates', 'upgraded'].flatMap((host) => [
    `/api/${host}/v2/updates/price/latest?ids[]=`,
    `/api/${host}/v2/updates/price/stream?ids[]=`,
    `/api/${host}/v2/updates/price/1795000000?ids[]=`,
    `/api/${host}/api/get_price_feed?publish_time=1795000000&id=`,
    `/api/${host}/v2/price_feeds`,
  ]),
  '/api/router/v1/latest_price',
  '/api/router/v1/price',
  '/api/router/v1/symbols',
];

const BTC = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43';

/** Paths of all routes, and some without a route. */
export function everyRoute(): string[] {
  const app: Record<string, string> = JSON.parse(readFileSync('.next/app-path-routes-manifest.json', 'utf8'));
  const pages: Record<string, string> = JSON.parse(readFileSync('.next/server/pages-manifest.json', 'utf8'));
  const patterns = [...Object.values(app), ...Object.keys(pages)].filter((path) => !/\/_/.test(path));
  const paths = patterns.map((path) => path.replace(/\[[^\]]+\]/g, (name) => PARAMETERS[name] ?? '1'));
  const gatewayPaths = GATEWAY_ROUTES.map((path) => (path.endsWith('=') ? path + BTC : path));
  return [
    ...new Set([...paths, ...gatewayPaths, '/nothing/here', '/api/nothing', '/_next/data/x/requests.json']),
  ];
}

/** Id of the build, a part of framework addresses and of every page. */
export function buildId(): string {
  return readFileSync('.next/BUILD_ID', 'utf8').trim();
}

export type Answer = {
  path: string;
  method: string;
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
};

/** Fetches a path without normalisation. For a stream only the head is awaited. */
export function fetchRaw(
  origin: string,
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: false }, (response) => {
      const answer = { path, method, status: response.statusCode ?? 0, headers: response.headers, body: '' };
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        answer.body += text;
      });
      response.on('end', () => resolve(answer));
      if (response.headers['content-type']?.startsWith('text/event-stream')) {
        response.once('data', () => {
          outgoing.destroy();
          resolve(answer);
        });
      }
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

import type { LookupCall } from './price-lookup';
import { serviceOf } from './price-lookup';

const SETTINGS = {
  updates: { url: 'UPDATES_URL', key: 'UPDATES_API_KEY' },
  upgraded: { url: 'UPGRADED_UPDATES_URL', key: 'UPGRADED_UPDATES_API_KEY' },
  router: { url: 'ROUTER_URL', key: 'ROUTER_API_KEY' },
} as const;

/**
 * A call of a lookup for a terminal, at the service itself, with the address and the key left to the environment of
 * whoever runs it. The query is percent-encoded (brackets too, which curl would expand), and a body holds nothing but
 * JSON of our own words and digits, so neither can end its quotes.
 */
export function lookupCallAsCurl({ source, request }: LookupCall): string {
  const service = serviceOf(source);
  const { url, key } = SETTINGS[service];
  const path = request.path.slice(`/api/${service}`.length);
  const header = `curl -H "Authorization: Bearer $${key}"`;
  if (request.method === 'GET') return `${header} "$${url}${path}?${request.query}"`;
  const body = request.body.replaceAll("'", '');
  return `${header} -H "Content-Type: application/json" -d '${body}' "$${url}${path}"`;
}

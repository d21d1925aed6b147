import 'server-only';
import { isoOf } from './logged-rows';

/** What the log service can be asked; times in unix milliseconds, both ends included. */
export type ServiceFilter = {
  networkId?: string;
  /** The service's own word. */
  state?: string;
  query?: string;
  fromMs?: number;
  toMs?: number;
};

/** The service's largest `limit`. */
const MOST_ROWS = 1000;

/** The query string of `/v1/logs` that asks the service the same, without question mark: for whoever wants to check. */
export function serviceQuery(filter: ServiceFilter, limit = MOST_ROWS): string {
  const query = new URLSearchParams();
  if (filter.networkId !== undefined) query.set('network_id', filter.networkId);
  if (filter.state !== undefined) query.set('state', filter.state);
  if (filter.query !== undefined) query.set('query', filter.query);
  if (filter.fromMs !== undefined) query.set('min_timestamp', isoOf(filter.fromMs));
  if (filter.toMs !== undefined) query.set('max_timestamp', isoOf(filter.toMs));
  query.set('limit', String(Math.min(limit, MOST_ROWS)));
  query.set('offset', '0');
  return query.toString();
}

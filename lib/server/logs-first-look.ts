import 'server-only';
import { checkLogsQuery } from '@/lib/contract/schema/gateway-query';
import { failed, type Outcome } from '@/lib/domain/outcome';
import { unconfigured } from './gateway-routes';
import { services } from './services';

/** Longest that a page waits for its rows before it sends its frame: short enough to be one flow for the eye. */
const FRAME_WAIT_MS = 150;

/**
 * The log list for a page that is being rendered: what the gateway would answer to the same query, and as strict.
 * @param query as the gateway takes it, with our own parameter `keeper`
 */
export async function firstLogsText(query: URLSearchParams): Promise<Outcome<string>> {
  const { logs, keepers } = services();
  if (keepers.length === 0) return failed(unconfigured('logs'));
  const refusal = checkLogsQuery(query, keepers);
  if (refusal) return failed({ kind: 'bad-request', detail: refusal.detail });
  const client = logs.get(query.get('keeper') ?? keepers[0] ?? '');
  const own = new URLSearchParams(query);
  own.delete('keeper');
  return client?.logsText(own.toString(), 'user') ?? failed(unconfigured('logs'));
}

/** The value when it is there soon enough to go out with the frame, else the promise of it, to be streamed after. */
export async function soonOrLater<T>(work: Promise<T>): Promise<T | { later: Promise<T> }> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ later: Promise<T> }>((resolve) => {
    timer = setTimeout(resolve, FRAME_WAIT_MS, { later: work });
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

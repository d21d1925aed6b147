import 'server-only';
import { problem } from '@/lib/domain/problem';
import { askerOfFetch } from './asker';
import { currentSettings } from './current-settings';
import type { Settings } from './env';
import { readMetrics } from './metrics-sources';
import { problemReply, textReply } from './reply';
import { PEER_HEADER } from './request-gate';
import { admit, isSameText } from './visitor';

/** The metrics as Prometheus text, for those who may read them. */
export async function replyWithMetrics(request: Request): Promise<Response> {
  if (!(await mayReadMetrics(request.headers, currentSettings()))) {
    const detail =
      'Metrics need a signed-in caller, Authorization: Bearer with the METRICS_TOKEN, or a call from this machine.';
    return problemReply(problem('not-signed-in', detail), { 'www-authenticate': 'Bearer' });
  }
  const { text, contentType } = await readMetrics();
  return textReply(text, contentType);
}

/**
 * With loopback access every caller is local; else the caller sits on this machine, brings the token or is signed in.
 * Where anyone may come in, the figures still are the operator's.
 */
export async function mayReadMetrics(headers: Headers, { access, metricsToken }: Settings): Promise<boolean> {
  if (access.kind === 'local' || headers.get(PEER_HEADER) === 'local') return true;
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const token = metricsToken?.();
  if (given !== undefined && token !== undefined && isSameText(given, token)) return true;
  return access.kind !== 'open' && (await admit(askerOfFetch({ headers }), access)).ok;
}

import 'server-only';
import { createHash, timingSafeEqual } from 'node:crypto';
import { problem } from '@/lib/domain/problem';
import { currentSettings } from './current-settings';
import type { Settings } from './env';
import { metrics } from './metrics';
import { problemReply, textReply } from './reply';
import { PEER_HEADER } from './request-gate';

/** The metrics as Prometheus text, for those who may read them. */
export async function replyWithMetrics(request: Request): Promise<Response> {
  if (!mayReadMetrics(request.headers, currentSettings())) {
    const detail = 'Metrics need Authorization: Bearer with the METRICS_TOKEN, or a call from this machine.';
    return problemReply(problem('not-signed-in', detail), { 'www-authenticate': 'Bearer' });
  }
  const { registry } = metrics();
  return textReply(await registry.metrics(), registry.contentType);
}

/** With loopback access every caller is local; else the caller sits on this machine or brings the token. */
export function mayReadMetrics(headers: Headers, { access, metricsToken }: Settings): boolean {
  if (access === 'local' || headers.get(PEER_HEADER) === 'local') return true;
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const token = metricsToken?.();
  return given !== undefined && token !== undefined && isSameText(given, token);
}

/** In a time that does not tell how much of the text was right. */
function isSameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}

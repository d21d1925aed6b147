import 'server-only';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { problem, problemOf } from '@/lib/core/problem';
import { askerOfFetch } from './asker';
import { currentSettings } from './current-settings';
import type { Settings } from './env';
import { GuessWaits, mustWait } from './guess-waits';
import { readMetrics } from './metrics-sources';
import { processWide } from './process-wide';
import { problemReply, textReply } from './reply';
import { PEER_HEADER } from './request-gate';
import { enter, isSameText } from './visitor';

/** Long for whoever guesses, short for a monitoring whose token has just been put right. */
const LONGEST_WAIT_S = 60;

const waits = processWide<GuessWaits>('metrics-token-waits');

/** The metrics as Prometheus text, for those who may read them. */
export async function replyWithMetrics(request: Request): Promise<Response> {
  const allowed = await mayReadMetrics(request.headers, currentSettings());
  if (!allowed.ok) return problemReply(problemOf(allowed.failure));
  if (!allowed.value) {
    const detail =
      'Metrics need a signed-in caller, Authorization: Bearer with the METRICS_TOKEN, or a call from this machine.';
    return problemReply(problem('not-signed-in', detail), { 'www-authenticate': 'Bearer' });
  }
  const { text, contentType } = await readMetrics();
  return textReply(text, contentType);
}

/**
 * With loopback access every caller is local; else the caller sits on this machine, brings the token or is signed in.
 * Where anyone may come in, the figures still are the operator's. Fails with `too-many` while the caller's address has
 * to wait for its wrong tokens, or for having asked too often without one.
 */
export async function mayReadMetrics(
  headers: Headers,
  { access, metricsToken }: Settings,
): Promise<Outcome<boolean>> {
  if (access.kind === 'local' || headers.get(PEER_HEADER) === 'local') return ok(true);
  const asker = askerOfFetch({ headers });
  const [, given] = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  if (given !== undefined) return isToken(given, metricsToken?.(), asker.address);
  const entry = await enter(asker, access);
  if (!entry.ok && entry.problem.kind === 'too-many') return failed({ ...entry.problem, kind: 'too-many' });
  return ok(access.kind !== 'open' && entry.ok);
}

/** The right token waits too: an answer at once would tell whoever guesses that it is right. */
function isToken(given: string, token: string | undefined, address: string): Outcome<boolean> {
  const guesses = waits.get() ?? new GuessWaits(LONGEST_WAIT_S);
  waits.set(guesses);
  const waitS = guesses.waitS(address);
  if (waitS > 0) return failed(mustWait('Too many wrong tokens.', waitS));
  if (token !== undefined && isSameText(given, token)) {
    guesses.forgive(address);
    return ok(true);
  }
  guesses.count(address);
  return ok(false);
}

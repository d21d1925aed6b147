import { failureWord, type ServiceState, serviceLabel } from '@/lib/core/health';
import { groupDigits } from '@/lib/core/numbers';
import { isClockOff } from '@/lib/core/service-clock';
import type { HostReport, KeyReport, ServiceReport, StreamsReport } from '@/lib/core/service-report';
import { clipped } from '@/lib/core/text';
import { formatAge } from '@/lib/core/time';

/** A fact of a host: its words, what tone they have, and what stands behind them, for who points at it. */
export type Fact = { text: string; tone?: 'good' | 'bad' | 'wait'; detail?: string };

/** How a moment (unix ms) stands in a sentence. */
type Moment = (ms: number) => string;

const ago = (ms: number, nowMs: number) => `${formatAge(nowMs - ms)} ago`;
const countText = (count: number, noun: string) =>
  `${groupDigits(String(count))} ${noun}${count === 1 ? '' : 's'}`;

/** The name of a host on the page. */
export function hostName(label: string): string {
  return label === 'router:symbols' ? 'Router symbols' : serviceLabel(label);
}

/** The state of a service by its last real call. */
export function hostState({ host }: ServiceReport): ServiceState {
  if (host === undefined) return 'unconfigured';
  if (host.last.state === 'none') return 'unknown';
  return host.last.state === 'ok' ? 'ok' : 'failing';
}

/** That state in words, and since when. */
export function healthFact({ host }: ServiceReport, nowMs: number): Fact {
  if (host === undefined) return { text: 'Not configured' };
  const { state, kind, atMs = nowMs } = host.last;
  if (state === 'none') return { text: 'Not checked' };
  if (state === 'ok') return { text: 'Healthy', tone: 'good', detail: ago(atMs, nowMs) };
  const { lastOkAtMs } = host.calls;
  const before = lastOkAtMs === undefined ? 'never before' : `last success ${ago(lastOkAtMs, nowMs)}`;
  const isSilent = kind === 'unreachable' || kind === 'timeout';
  const text = isSilent ? capital(failureWord(kind)) : `Reachable, ${failureWord(kind)}`;
  return { text, tone: 'bad', detail: `${ago(atMs, nowMs)}; ${before}` };
}

/** What the last press of "Check now" brought. */
export function checkFact({ check }: HostReport, nowMs: number): Fact | undefined {
  if (check === undefined) return undefined;
  const { atMs, outcome, detail, call } = check;
  const when = ago(atMs, nowMs);
  const said = detail === undefined ? '' : `: ${clipped(detail, 300)}`;
  if (outcome === 'ok') return { text: `Check passed, ${when}`, tone: 'good' };
  if (call === 'held-back') return { text: `Check blocked, ${when}${said}`, tone: 'wait' };
  // It answered, which is what was asked.
  if (outcome === 'rejected' || outcome === 'missing') {
    return { text: `Check passed, ${when}${said}`, tone: 'good' };
  }
  return { text: `Check failed: ${failureWord(outcome)}, ${when}${said}`, tone: 'bad' };
}

/** Where the key comes from; nothing of the key. */
export function keyFact({ state, origin, setting }: KeyReport, moment: Moment): Fact {
  if (state === 'unusable') {
    return { text: `${setting} unusable`, tone: 'bad', detail: 'It must be one line of visible ASCII' };
  }
  if (state === 'none') return { text: 'No key', detail: `${setting} is not set: calls go out without one` };
  if (origin === undefined) return { text: 'Set' };
  const name = origin.setting ?? setting;
  const { sinceMs, writtenAtMs } = origin;
  if (origin.kind === 'sandbox') return { text: 'Sandbox key' };
  if (origin.kind === 'environment') return { text: name, detail: `Environment, since ${moment(sinceMs)}` };
  const written = writtenAtMs === undefined ? '' : `written ${moment(writtenAtMs)}, `;
  const detail = `File, ${written}in use since ${moment(sinceMs)}`;
  return origin.trouble === undefined
    ? { text: name, detail }
    : { text: `${name}: no usable key`, tone: 'bad', detail: `${detail}; the last good one stays in use` };
}

/** What the service says of our key. */
export function keyVerdict(label: string, { key }: HostReport, nowMs: number): Fact {
  const { verdict, state } = key;
  if (verdict === undefined) return { text: label === 'router:symbols' ? 'No key needed' : 'Not checked' };
  const detail = ago(verdict.atMs, nowMs);
  if (verdict.verdict === 'accepted') {
    return { text: state === 'set' ? 'Accepted' : 'No key needed', tone: 'good', detail };
  }
  const what = state === 'set' ? 'API key rejected' : 'Key required';
  return { text: `${what} (${verdict.upstreamStatus})`, tone: 'bad', detail };
}

/** Whether its clock is ours, by the dates of its answers; never which of the two is right. */
export function clockFact({ clock }: HostReport, nowMs: number, moment: Moment): Fact {
  if (clock === undefined) return { text: 'Unknown', detail: 'No answer said when it was made' };
  const { offByMs, datedMs, atMs, answers } = clock;
  if (!isClockOff(offByMs)) return { text: 'In sync', tone: 'good', detail: ago(atMs, nowMs) };
  const of = answers === 1 ? '' : `, the least off of its last ${answers}`;
  return {
    text: `${formatAge(Math.abs(offByMs))} ${offByMs > 0 ? 'ahead' : 'behind'}`,
    tone: 'wait',
    detail: `An answer of ${moment(atMs)} is dated ${moment(datedMs)}${of}. Either clock may be wrong`,
  };
}

/** Whether calls may go out now. */
export function rateLimitFact({ pause }: HostReport, nowMs: number): Fact {
  if (pause === undefined) return { text: 'Not rate-limited' };
  const leftMs = Math.max(0, Math.ceil((pause.untilMs - nowMs) / 1000)) * 1000;
  const next = leftMs > 0 ? `retry in ${formatAge(leftMs)}` : 'retry due';
  const why = {
    'rate-limited': 'Rate-limited',
    failing: 'Pause requested',
    unauthorized: 'Key retried once a minute',
  }[pause.kind];
  return { text: `${why} (${pause.upstreamStatus}), ${next}`, tone: 'wait' };
}

/** Percentiles of the latest calls; undefined before the first. */
export function latencyFact({ calls: { latency } }: HostReport): Fact | undefined {
  if (latency === undefined) return undefined;
  const ms = (value: number) => `${groupDigits(String(Math.round(value)))} ms`;
  const { p50Ms, p95Ms, p99Ms, maxMs, calls } = latency;
  return {
    text: `p50 ${ms(p50Ms)} · p95 ${ms(p95Ms)} · max ${ms(maxMs)}`,
    detail: `p99 ${ms(p99Ms)}, of the last ${countText(calls, 'call')}`,
  };
}

/** The call budget in words. */
export function budgetText({
  callsPerSecond,
  burst,
  used,
  waiting,
  refused,
  sharedWith,
}: HostReport['budget']) {
  const { user, background } = waiting;
  return [
    `${used} of ${burst} used, refills ${callsPerSecond}/s`,
    ...(user + background === 0
      ? []
      : [`${user + background} waiting (${user} user, ${background} background)`]),
    ...(refused === 0 ? [] : [`${groupDigits(String(refused))} blocked`]),
    ...(sharedWith.length === 0 ? [] : [`shared with ${sharedWith.map(hostName).join(', ')}`]),
  ].join('; ');
}

/** Services close a stream after a day. */
const PLANNED_LIFE_MS = 24 * 3600 * 1000;

/** One open stream: what it carries, how old it is, and how long the service will leave it open. */
export function streamText(
  { openedAtMs, feeds, lastByteAtMs }: StreamsReport['open'][number],
  nowMs: number,
): string {
  const left = openedAtMs + PLANNED_LIFE_MS - nowMs;
  const close = left > 0 ? `reconnects in ${formatAge(left)}` : 'reconnect due';
  const beat = lastByteAtMs === undefined ? 'no heartbeat yet' : `last heartbeat ${ago(lastByteAtMs, nowMs)}`;
  return `${countText(feeds, 'feed')}, open ${formatAge(nowMs - openedAtMs)}, ${beat}, ${close}`;
}

/** How the stream of our own pages is. */
export function pagesStreamFact(
  { state, sinceMs, failure }: NonNullable<HostReport['pagesStream']>,
  nowMs: number,
): Fact {
  const since = `for ${formatAge(nowMs - sinceMs)}`;
  const why = failure === undefined ? '' : `: ${clipped(failure.detail, 200)}`;
  const next = failure?.retryAfterS === undefined ? '' : `, retry within ${failure.retryAfterS} s`;
  switch (state) {
    case 'live':
      return { text: `Live ${since}`, tone: 'good' };
    case 'quiet':
      return { text: `Connected, no updates ${since}` };
    case 'failed':
      return { text: `Down ${since}${why}${next}`, tone: 'bad' };
    default:
      return { text: `${capital(state)} ${since}${why}${next}`, tone: 'wait' };
  }
}

/** What became of the streams before. */
export function streamEndsText({ opened, ends, lastEnd }: StreamsReport, nowMs: number): string {
  const counts = `${opened} opened, ${ends['ended-by-service']} ended by the service, ${ends.broken} broken`;
  if (lastEnd === undefined) return counts;
  return `${counts}; last ended ${ago(lastEnd.atMs, nowMs)} after ${formatAge(lastEnd.lastedMs)}`;
}

/** What somebody can do about a key that is refused or missing; undefined when nothing is wrong with it. */
export function keyRemedy(
  service: ServiceReport['service'],
  { key: { state, verdict, setting, origin } }: HostReport,
): { title: string; steps: string[] } | undefined {
  if (state === 'unusable') {
    const step = `Put the key alone on one line into ${setting}, or into the file that ${setting}_FILE names.`;
    return { title: 'API key unusable', steps: [step] };
  }
  if (verdict?.verdict !== 'refused') return undefined;
  const isForbidden = verdict.upstreamStatus === 403;
  const atPortal = isForbidden
    ? 'Sign in at the provider’s web portal: does the plan include this service and these feeds?'
    : 'Sign in at the provider’s web portal: has the free trial ended, does a paid plan run on, was the key replaced or withdrawn? Copy it anew from there.';
  const set =
    origin?.kind === 'file'
      ? `Write it into the file that ${origin.setting ?? setting} names: it is read afresh within a second, without a restart.`
      : `Put it into ${setting} in .env.local and start again; or name a file in ${setting}_FILE, which is read afresh when it changes.`;
  return {
    title: state === 'none' ? 'Key required' : isForbidden ? 'Key not permitted' : 'API key rejected',
    steps: [
      service === 'logs' ? 'Ask whoever runs the keeper’s log service for a key that it accepts.' : atPortal,
      set,
      'A refused key is tried again once a minute, a changed one at once.',
    ],
  };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

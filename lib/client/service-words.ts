import type {
  BudgetReport,
  CheckReport,
  HostReport,
  KeyReport,
  PagesStreamReport,
  ServiceReport,
  StreamsReport,
} from '@/lib/contract/codec/service-report';
import { isClockOff } from '@/lib/domain/service-clock';
import { clipped } from './foreign-text';
import { failureWord, type ServiceState, serviceLabel } from './health';
import { groupDigits } from './human-number';
import { formatAge } from './human-time';

/** How a moment (unix ms) stands in a sentence. */
export type MomentWords = (ms: number) => string;

/** A fact of a host: what tone it has, and its words. */
export type Fact = { tone: 'good' | 'bad' | 'wait' | 'plain'; words: string };

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

/** That state in words. */
export function hostStateWords(service: ServiceReport): string {
  const words: Record<Exclude<ServiceState, 'failing'>, string> = {
    ok: 'answers',
    unknown: 'not called yet',
    unconfigured: 'not configured',
  };
  const state = hostState(service);
  return state === 'failing' ? failureWord(service.host?.last.kind) : words[state];
}

const ago = (ms: number, nowMs: number) => `${formatAge(nowMs - ms)} ago`;

/** Where the key comes from and since when; nothing of the key. */
export function keyFact({ state, origin, setting }: KeyReport, moment: MomentWords): Fact {
  if (state === 'unusable')
    return {
      tone: 'bad',
      words: `what ${setting} holds cannot be used as a key: it must be one line of visible ASCII`,
    };
  if (state === 'none')
    return { tone: 'plain', words: `none (${setting} is not set): calls go out without one` };
  if (origin === undefined) return { tone: 'plain', words: 'set' };
  if (origin.kind === 'sandbox') return { tone: 'plain', words: 'set, the sandbox’s own' };
  const name = origin.setting ?? setting;
  if (origin.kind === 'environment')
    return {
      tone: 'plain',
      words: `set, from the environment (${name}), since the start at ${moment(origin.sinceMs)}`,
    };
  const written = origin.writtenAtMs === undefined ? '' : `written ${moment(origin.writtenAtMs)}, `;
  const file = `set, from the file that ${name} names, ${written}in use since ${moment(origin.sinceMs)}`;
  return origin.trouble === undefined
    ? { tone: 'plain', words: file }
    : { tone: 'bad', words: `${file}; the file now holds no usable key, so the last good one stays in use` };
}

/** Whether anybody answers there. */
export function reachFact({ last, calls }: HostReport, nowMs: number): Fact {
  const { state, kind, atMs = nowMs } = last;
  if (state === 'none') return { tone: 'plain', words: 'not known: nothing was asked yet' };
  if (state === 'ok') return { tone: 'good', words: `yes, ${ago(atMs, nowMs)}` };
  const before =
    calls.lastOkAtMs === undefined ? 'never before' : `last success ${ago(calls.lastOkAtMs, nowMs)}`;
  if (kind === 'unreachable') return { tone: 'bad', words: `no, ${ago(atMs, nowMs)}; ${before}` };
  if (kind === 'timeout') return { tone: 'bad', words: `no answer in time, ${ago(atMs, nowMs)}; ${before}` };
  return { tone: 'wait', words: `yes, but: ${failureWord(kind)}, ${ago(atMs, nowMs)}; ${before}` };
}

/** What the service says of our key. */
export function keyAnswerFact(label: string, { key }: HostReport, nowMs: number): Fact {
  const { verdict, state } = key;
  if (verdict === undefined) {
    if (label === 'router:symbols') return { tone: 'plain', words: 'this list needs no key' };
    return {
      tone: 'plain',
      words: state === 'set' ? 'not known: no answer to this key yet' : 'not known yet',
    };
  }
  const when = ago(verdict.atMs, nowMs);
  if (verdict.verdict === 'accepted')
    return { tone: 'good', words: state === 'set' ? `yes, ${when}` : `it answers without a key, ${when}` };
  const what = state === 'set' ? 'our key is refused' : 'it wants a key';
  return { tone: 'bad', words: `${what} (${verdict.upstreamStatus}), ${when}` };
}

/** Whether its clock is ours, by the dates of its answers; never which of the two is right. */
export function clockFact({ clock }: HostReport, nowMs: number, moment: MomentWords): Fact {
  if (clock === undefined) return { tone: 'plain', words: 'not known: no answer said when it was made' };
  const { offByMs, datedMs, atMs, answers } = clock;
  const when = ago(atMs, nowMs);
  if (!isClockOff(offByMs)) return { tone: 'good', words: `like ours, within a minute, ${when}` };
  const by = `${formatAge(Math.abs(offByMs))} ${offByMs > 0 ? 'ahead of' : 'behind'} ours`;
  const of = answers === 1 ? '' : `, the least off of its last ${answers}`;
  return {
    tone: 'wait',
    words: `Its clock is ${by}: an answer that came ${moment(atMs)}, ${when}, is dated ${moment(datedMs)}${of}. Either clock may be wrong; something between may date or keep its answers`,
  };
}

/** Whether calls may go out now. */
export function pauseFact({ pause }: HostReport, nowMs: number): Fact {
  if (pause === undefined) return { tone: 'plain', words: 'none: calls may go out' };
  const leftS = Math.max(0, Math.ceil((pause.untilMs - nowMs) / 1000));
  const next = leftS > 0 ? `next call in ${formatAge(leftS * 1000)}` : 'the next call may go out now';
  switch (pause.kind) {
    case 'rate-limited':
      return { tone: 'wait', words: `it limits our calls (${pause.upstreamStatus}): ${next}` };
    case 'failing':
      return { tone: 'wait', words: `it asked for a pause (${pause.upstreamStatus}): ${next}` };
    case 'unauthorized':
      return { tone: 'wait', words: `none, but a refused key is tried only once a minute: ${next}` };
  }
}

const shownMs = (ms: number) => `${groupDigits(String(Math.round(ms)))} ms`;

/** Percentiles of the latest calls, each with its name; undefined before the first. */
export function latencyWords({ calls }: HostReport): { name: string; words: string }[] | undefined {
  const { latency } = calls;
  if (latency === undefined) return undefined;
  const { p50Ms, p95Ms, p99Ms, maxMs } = latency;
  return [
    { name: 'median', words: shownMs(p50Ms) },
    { name: 'p95', words: shownMs(p95Ms) },
    { name: 'p99', words: shownMs(p99Ms) },
    { name: 'longest', words: shownMs(maxMs) },
  ];
}

/** The call budget beside its meter. */
export function budgetWords({
  callsPerSecond,
  burst,
  used,
  waiting,
  refused,
  sharedWith,
}: BudgetReport): string {
  const line = waiting.user + waiting.background;
  const inLine =
    line === 0
      ? 'none waits'
      : `${line} wait (${waiting.user} for people, ${waiting.background} in the background)`;
  const lost = refused === 0 ? '' : `; ${groupDigits(String(refused))} found no room`;
  const shared = sharedWith.length === 0 ? '' : `; shared with ${sharedWith.map(hostName).join(', ')}`;
  return `${used} of ${burst} used, ${callsPerSecond} a second come back; ${inLine}${lost}${shared}`;
}

/** Services close a stream after a day. */
const PLANNED_LIFE_MS = 24 * 3600 * 1000;

/** One standing stream: what it carries, how old it is, and how long the service will leave it open. */
export function streamWords(
  { openedAtMs, feeds, lastByteAtMs }: StreamsReport['standing'][number],
  nowMs: number,
): string {
  const left = openedAtMs + PLANNED_LIFE_MS - nowMs;
  const close = left > 0 ? `planned close in ${formatAge(left)}` : 'its planned close is due';
  const sign =
    lastByteAtMs === undefined ? 'nothing has come yet' : `last sign of life ${ago(lastByteAtMs, nowMs)}`;
  return `${feeds} ${feeds === 1 ? 'feed' : 'feeds'}, open for ${formatAge(nowMs - openedAtMs)}, ${sign}, ${close}`;
}

/** How the stream of our own pages is. */
export function pagesStreamFact({ state, sinceMs, failure }: PagesStreamReport, nowMs: number): Fact {
  const since = `for ${formatAge(nowMs - sinceMs)}`;
  const why = failure === undefined ? '' : `: ${clipped(failure.detail, 200)}`;
  const next =
    failure?.retryAfterS === undefined ? '' : ` The next try follows within ${failure.retryAfterS} s.`;
  switch (state) {
    case 'live':
      return { tone: 'good', words: `live ${since}` };
    case 'quiet':
      return { tone: 'plain', words: `connected, no updates, ${since}` };
    case 'connecting':
      return { tone: 'wait', words: `connecting ${since}` };
    case 'reconnecting':
      return { tone: 'wait', words: `reconnecting ${since}${why}${next}` };
    case 'failed':
      return { tone: 'bad', words: `down ${since}${why}${next}` };
  }
}

/** What became of the streams before. */
export function streamEndsWords({ opened, ends, lastEnd }: StreamsReport, nowMs: number): string {
  const counts = `${opened} opened, ${ends['ended-by-service']} ended by the service, ${ends.broken} broken`;
  if (lastEnd === undefined) return counts;
  return `${counts}; the last ended ${ago(lastEnd.atMs, nowMs)} after ${formatAge(lastEnd.lastedMs)}`;
}

/** What the last press of "Check now" brought. */
export function checkFact({ atMs, outcome, detail, call }: CheckReport, nowMs: number): Fact {
  const when = ago(atMs, nowMs);
  const said = detail === undefined ? '' : `: ${clipped(detail, 300)}`;
  if (outcome === 'ok') return { tone: 'good', words: `answered, ${when}` };
  if (call === 'held-back') return { tone: 'wait', words: `not asked, ${when}${said}` };
  const sound = outcome === 'rejected' || outcome === 'missing';
  if (sound) return { tone: 'good', words: `answered, ${when}, and refused this question${said}` };
  return { tone: 'bad', words: `${failureWord(outcome)}, ${when}${said}` };
}

/** What somebody can do about a key that is refused or missing; undefined when nothing is wrong with it. */
export function keyRemedy(
  service: ServiceReport['service'],
  { key }: HostReport,
): { title: string; steps: string[] } | undefined {
  const { state, verdict, setting } = key;
  if (state === 'unusable')
    return {
      title: 'The key cannot be used',
      steps: [`Put the key alone on one line into ${setting}, or into the file that ${setting}_FILE names.`],
    };
  if (verdict?.verdict !== 'refused') return undefined;
  const forbidden = verdict.upstreamStatus === 403;
  const title =
    state === 'none' ? 'It wants a key' : forbidden ? 'The key may not do this' : 'The key is refused';
  return { title, steps: [issuerStep(service, forbidden), settingStep(key), RETRY_STEP] };
}

const RETRY_STEP = 'A refused key is tried again once a minute, a changed one at once.';

function issuerStep(service: ServiceReport['service'], forbidden: boolean): string {
  if (service === 'logs') return 'Ask whoever runs the keeper’s log service for a key that it accepts.';
  return forbidden
    ? 'Sign in at the provider’s web portal: does the plan include this service and these feeds?'
    : 'Sign in at the provider’s web portal: has the free trial ended, does a paid plan run on, was the key replaced or withdrawn? Copy it anew from there.';
}

function settingStep({ origin, setting }: KeyReport): string {
  if (origin?.kind === 'file')
    return `Write it into the file that ${origin.setting ?? setting} names: it is read afresh within a second, without a restart.`;
  return `Put it into ${setting} in .env.local and start again; or name a file in ${setting}_FILE, which is read afresh when it changes.`;
}

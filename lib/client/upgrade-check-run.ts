import { type FeedId, readDeprecatedFeed, readUpdateBody } from '@/lib/domain/feed';
import type { Failure, FailureKind, Outcome } from '@/lib/domain/outcome';
import { millisToSeconds, type UnixMillis, type UnixSeconds, unixSeconds } from '@/lib/domain/units';
import {
  type UpgradeEvidence,
  type UpgradePair,
  type UpgradeRoute,
  type UpgradeSide,
  updatesOf,
} from '@/lib/domain/upgrade-check';
import { readUpgradePayload, type UpgradePayload } from '@/lib/domain/upgrade-check-payload';

/** What to check. `deprecated`: that route is asked only where somebody wants it, once for each feed. */
export type UpgradeQuestion = {
  readonly ids: readonly FeedId[];
  /** The second that the at-time routes are asked for; undefined: one that both hosts have just published. */
  readonly at: UnixSeconds | undefined;
  readonly deprecated: 'asked' | 'left out';
};

export type UpgradeRunEdges = {
  /** A route of the gateway as text. */
  readonly ask: (path: string, signal: AbortSignal) => Promise<Outcome<string>>;
  /** The data of the first event of a stream of the gateway, which is closed then. */
  readonly firstEvent: (
    stream: { path: string; service: 'updates' | 'upgraded' },
    signal: AbortSignal,
  ) => Promise<Outcome<string>>;
  readonly now: () => UnixMillis;
  /** Lets the page have its turn between two pieces of computing. */
  readonly pause: () => Promise<void>;
};

/** How far a check is: questions answered of those that there are, and the route that is asked now. */
export type UpgradeProgress = { readonly done: number; readonly of: number; readonly route: UpgradeRoute };

export type UpgradeRunWatch = {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: UpgradeProgress) => void;
};

const HOSTS = ['updates', 'upgraded'] as const;
type HostName = (typeof HOSTS)[number];

/** After these the next route of the same host would only fail in the same way, some of them slowly. */
const HOST_WIDE: ReadonlySet<FailureKind> = new Set([
  'unauthorized',
  'unconfigured',
  'unreachable',
  'timeout',
  'rate-limited',
]);

/** An answer has at most one payload for each feed; more are no part of any. */
const MOST_PAYLOADS = 12;
/** So long ago both hosts have settled what the first update of a second was. */
const SETTLED_S = 5;

type Step = { route: UpgradeRoute; path: string; feed?: FeedId };

/**
 * Asks both hosts the same, route by route and both at once, and reads what they answered. At most one call to each host is
 * under way. A host that fails as a whole is not asked further. Rejects only when the signal is aborted.
 */
export async function runUpgradeCheck(
  question: UpgradeQuestion,
  edges: UpgradeRunEdges,
  watch: UpgradeRunWatch,
): Promise<UpgradeEvidence> {
  const askedAtMs = edges.now();
  const given: Partial<Record<HostName, Failure>> = {};
  const pairs: UpgradePair[] = [];
  const total = 4 + (question.deprecated === 'asked' ? question.ids.length : 0);
  const take = async (step: Step): Promise<UpgradePair> => {
    watch.onProgress({ done: pairs.length, of: total, route: step.route });
    const [old, upgraded] = await Promise.all(
      HOSTS.map((host) => askSide(host, step, { given, edges, signal: watch.signal })),
    );
    if (old === undefined || upgraded === undefined) throw new TypeError('Each host has a side.');
    const pair = { ...step, old, upgraded };
    pairs.push(pair);
    return pair;
  };
  const latest = await take(latestStep(question));
  const at = question.at ?? settledSecond(latest) ?? millisToSeconds(askedAtMs);
  for (const step of laterSteps(question, at)) await take(step);
  return { ids: question.ids, at, askedAtMs, pairs };
}

function queryOf(ids: readonly FeedId[]): string {
  return `${ids.map((id) => `ids[]=${id}`).join('&')}&encoding=hex&parsed=true&ignore_invalid_price_ids=true`;
}

function latestStep({ ids }: UpgradeQuestion): Step {
  return { route: 'latest', path: `/v2/updates/price/latest?${queryOf(ids)}` };
}

function laterSteps({ ids, deprecated }: UpgradeQuestion, at: UnixSeconds): Step[] {
  const single = (id: FeedId): Step => ({
    route: 'deprecated',
    feed: id,
    path: `/api/get_price_feed?id=${id}&publish_time=${at}&verbose=true&binary=true`,
  });
  return [
    { route: 'at-time', path: `/v2/updates/price/${at}?${queryOf(ids)}` },
    { route: 'directory', path: '/v2/price_feeds' },
    ...(deprecated === 'asked' ? ids.map(single) : []),
    { route: 'stream', path: `/v2/updates/price/stream?${queryOf(ids)}` },
  ];
}

/** A feed that rests was published long ago, and has no update after that: the oldest of all decides. */
function settledSecond({ old, upgraded }: UpgradePair): UnixSeconds | undefined {
  const times = [old, upgraded].flatMap((side) =>
    side.kind === 'answered' ? updatesOf('latest', side.text).map(({ publishTime }) => publishTime) : [],
  );
  // Not by Math.min(...times): an answer may have more updates than a call has room for arguments.
  const oldest = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  return times.length === 0 ? undefined : unixSeconds(Math.max(0, oldest - SETTLED_S));
}

type AskOf = { given: Partial<Record<HostName, Failure>>; edges: UpgradeRunEdges; signal: AbortSignal };

async function askSide(host: HostName, step: Step, { given, edges, signal }: AskOf): Promise<UpgradeSide> {
  const before = given[host];
  if (before !== undefined) return { kind: 'skipped', failure: before };
  const startMs = edges.now();
  const path = `/api/${host}${step.path}`;
  const answer = await (step.route === 'stream'
    ? edges.firstEvent({ path, service: host }, signal)
    : edges.ask(path, signal));
  const tookMs = Math.max(0, edges.now() - startMs);
  if (answer.ok) {
    const payloads = await readPayloads(blobsOf(step.route, answer.value), edges.pause, signal);
    return { kind: 'answered', text: answer.value, tookMs, payloads };
  }
  // A stream that brings nothing says nothing about the other routes, and it is the last one anyway.
  if (HOST_WIDE.has(answer.failure.kind)) given[host] = answer.failure;
  return { kind: 'failed', failure: answer.failure, tookMs };
}

/** The binary updates of an answer, as text. */
function blobsOf(route: UpgradeRoute, text: string): string[] {
  if (route === 'directory') return [];
  if (route === 'deprecated') {
    const feed = readDeprecatedFeed(text);
    return feed.ok && feed.value.vaa !== undefined ? [feed.value.vaa] : [];
  }
  const body = readUpdateBody(text);
  return body.ok ? (body.value.binary?.data.slice(0, MOST_PAYLOADS) ?? []) : [];
}

async function readPayloads(
  blobs: readonly string[],
  pause: () => Promise<void>,
  signal: AbortSignal,
): Promise<UpgradePayload[]> {
  const payloads: UpgradePayload[] = [];
  for (const blob of blobs) {
    const reading = readUpgradePayload(blob);
    let step = reading.next();
    while (step.done !== true) {
      await pause();
      signal.throwIfAborted();
      step = reading.next();
    }
    payloads.push(step.value);
  }
  return payloads;
}

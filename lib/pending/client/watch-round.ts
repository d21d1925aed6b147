import { isRetryable } from '@/lib/core/explain-failure';
import { AnswerFailed } from '@/lib/core/gateway';
import { type Failure, type Outcome, ok } from '@/lib/core/outcome';
import { stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { readTriage, triageAddress } from '@/lib/pending/pending-response';
import { locatorOfKey, requestApiPath } from '@/lib/requests/request-address';
import { readRequestAnswer } from '@/lib/requests/requests-response';
import type { Watched, WatchList } from '@/lib/watches/client/watch-list';
import { GONE, OPEN, OVER } from './watched-states';

export type Observation = { id: string; state: string; size?: number };

export type WatchChange = { item: Watched; from: string; to: string };

/** Incidents grow and shrink all the time: their size is notable only when it changes by half. */
function isNotable(before: Watched, { state, size }: Observation): boolean {
  if (state !== before.state) return true;
  const { notedSize } = before;
  if (size === undefined || notedSize === undefined) return false;
  return Math.abs(size - notedSize) >= 3 && (size >= notedSize * 1.5 || size * 1.5 <= notedSize);
}

export function withObservations(
  list: WatchList,
  observations: readonly Observation[],
  nowMs: number,
): { list: WatchList; changes: WatchChange[] } {
  const changes: WatchChange[] = [];
  const words = (state: string, size: number | undefined) =>
    state === OPEN && size !== undefined ? `${size} stuck` : state;
  const watched = list.watched.map((before): Watched => {
    const observation = observations.find(({ id }) => id === before.id);
    if (observation === undefined) return before;
    const { state, size } = observation;
    if (!isNotable(before, observation)) return { ...before, size, notedSize: before.notedSize ?? size };
    const stateBefore = words(before.state, before.notedSize);
    const was = { state: stateBefore, atMs: nowMs };
    const item = { ...before, state: clipped(state, 50), size, notedSize: size, was };
    changes.push({ item, from: stateBefore, to: words(state, size) });
    return item;
  });
  return { list: { ...list, watched }, changes };
}

export const isOpen = ({ state }: Watched) => state !== 'completed' && state !== 'callback-failed';

/** The others follow in later rounds. */
const MAX_REQUESTS_PER_ROUND = 10;

type FetchText = (path: string) => Promise<Outcome<string>>;

/** `refused`: permanent failures by id of item. */
export type Round = { turn: number; observations: Observation[]; refused: ReadonlyMap<string, Failure> };

/** @throws AnswerFailed for a temporary failure */
export async function watchRound(
  list: readonly Watched[],
  turn: number,
  fetchText: FetchText,
): Promise<Round> {
  const open = list.filter(isOpen);
  const requests = open.filter(({ kind }) => kind === 'request');
  const from = (turn * MAX_REQUESTS_PER_ROUND) % Math.max(1, requests.length);
  const due = [...requests, ...requests].slice(
    from,
    from + Math.min(MAX_REQUESTS_PER_ROUND, requests.length),
  );
  const observations: Observation[] = [];
  const refused = new Map<string, Failure>();
  for (const items of [open.filter(({ kind }) => kind === 'incident'), ...due.map((item) => [item])]) {
    const [first] = items;
    if (first === undefined) continue;
    const seen = await (first.kind === 'incident'
      ? observeIncidents(items, fetchText)
      : observeRequest(first, fetchText));
    if (seen.ok) observations.push(...seen.value);
    else if (isRetryable(seen.failure)) throw new AnswerFailed(seen.failure);
    else for (const { id } of items) refused.set(id, seen.failure);
  }
  return { turn, observations, refused };
}

async function observeRequest({ id }: Watched, fetchText: FetchText): Promise<Outcome<Observation[]>> {
  const locator = locatorOfKey(id);
  if (locator === undefined) return ok([]);
  const text = await fetchText(requestApiPath(locator));
  const response = text.ok ? readRequestAnswer(text.value) : text;
  if (!response.ok) return response;
  const row = response.value.rows.find(({ key }) => key === id);
  if (row !== undefined) return ok([{ id, state: stateWord(row.state) }]);
  // The request may exist at a service whose call failed.
  const isCertain = response.value.queried.every(({ failure }) => failure === undefined);
  return ok(isCertain ? [{ id, state: GONE }] : []);
}

/** A missing incident is over only if the answer is complete. */
async function observeIncidents(
  about: readonly Watched[],
  fetchText: FetchText,
): Promise<Outcome<Observation[]>> {
  const text = await fetchText(triageAddress());
  const response = text.ok ? readTriage(text.value) : text;
  if (!response.ok) return response;
  const { state, incidents, counts } = response.value;
  const isWhole = state === 'complete' && incidents.length >= counts.incidents;
  return ok(
    about.flatMap(({ id }): Observation[] => {
      const incident = incidents.find((incident) => incident.id === id);
      if (incident !== undefined) return [{ id, state: OPEN, size: incident.size }];
      return isWhole ? [{ id, state: OVER, size: 0 }] : [];
    }),
  );
}

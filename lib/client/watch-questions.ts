import { readTriage, requestOfKey, triageAddress } from '@/lib/contract/codec/triage';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { type RequestRecord, stateWord } from '@/lib/domain/request-record';
import { clipped } from './foreign-text';
import { readListed } from './related-requests';
import { GONE, OPEN, OVER, type Sighting, type Watched } from './watch-book';

/** Gets a route of ours as text. */
export type AskRoute = (path: string, signal: AbortSignal) => Promise<Outcome<string>>;

const MOST_ROWS = 100;

/** States from which a request can go no further, or from which it seldom does. */
export function paceOf({ kind, state }: Watched): 'often' | 'seldom' | 'never' {
  if (kind === 'incident') return 'often';
  if (state === 'completed' || state === 'callback-failed') return 'never';
  return state === 'failed' || state === GONE ? 'seldom' : 'often';
}

/** A list that moves may hold two versions of a request: the one that has come further counts. */
const PROGRESS: Record<RequestRecord['state']['kind'], number> = {
  pending: 0,
  unknown: 1,
  failed: 2,
  completed: 3,
};

/** Where a watched request stands now. Empty when the answer does not tell. */
export async function sightRequest(
  { id, keeper }: Watched,
  ask: AskRoute,
  signal: AbortSignal,
): Promise<Outcome<Sighting[]>> {
  const parts = requestOfKey(id);
  if (parts === undefined) return ok([]);
  const query = new URLSearchParams({
    keeper,
    network_id: parts.networkId,
    query: parts.sequence,
    limit: String(MOST_ROWS),
  });
  const text = await ask(`/api/logs/v1/logs?${query}`, signal);
  const page = text.ok ? readListed(text.value, keeper) : text;
  if (!page.ok) return page;
  const own = page.value.rows
    .filter((row) => row.kind === 'record')
    .filter((row) => row.key.replace(/#\d+$/, '') === id)
    .sort((one, other) => PROGRESS[other.state.kind] - PROGRESS[one.state.kind]);
  const [row] = own;
  if (row !== undefined) return ok([{ id, state: clipped(stateWord(row.state), 50) }]);
  // More rows than were asked for, or one that can't be read: it may be among them.
  const { rows, total } = page.value;
  const isAll = total === undefined || BigInt(total) <= BigInt(rows.length);
  return ok(isAll && rows.every((one) => one.kind === 'record') ? [{ id, state: GONE }] : []);
}

/** Where watched incidents stand. One that is not there is over only when everything was looked at. */
export async function sightIncidents(
  watched: readonly Watched[],
  ask: AskRoute,
  signal: AbortSignal,
): Promise<Outcome<Sighting[]>> {
  const text = await ask(triageAddress(), signal);
  const answer = text.ok ? readTriage(text.value) : text;
  if (!answer.ok) return answer;
  const { state, incidents, counts } = answer.value;
  const known = new Map(incidents.map((one) => [one.id, one]));
  const isWhole = state === 'complete' && incidents.length >= counts.incidents;
  return ok(
    watched.flatMap(({ id }): Sighting[] => {
      const incident = known.get(id);
      if (incident !== undefined) return [{ id, state: OPEN, size: incident.size }];
      return isWhole ? [{ id, state: OVER, size: 0 }] : [];
    }),
  );
}

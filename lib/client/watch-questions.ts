import { readTriage, triageAddress } from '@/lib/contract/codec/triage';
import { type Outcome, ok } from '@/lib/domain/outcome';
import { stateWord } from '@/lib/domain/request-record';
import { isSameRequest, oneAddress, readOne } from '@/lib/requests/one';
import { askedOfKey } from '@/lib/requests/request-address';
import { clipped } from './foreign-text';
import { GONE, OPEN, OVER, type Sighting, type Watched } from './watch-book';

/** Gets a route of ours as text. */
export type AskRoute = (path: string, signal: AbortSignal) => Promise<Outcome<string>>;

/** States from which a request can go no further, or from which it seldom does. */
export function paceOf({ kind, state }: Watched): 'often' | 'seldom' | 'never' {
  if (kind === 'incident') return 'often';
  if (state === 'completed' || state === 'callback-failed') return 'never';
  return state === 'failed' || state === GONE ? 'seldom' : 'often';
}

/** Where a watched request stands now. Empty when the answer does not tell. */
export async function sightRequest(
  { id }: Watched,
  ask: AskRoute,
  signal: AbortSignal,
): Promise<Outcome<Sighting[]>> {
  const asked = askedOfKey(id);
  if (asked === undefined) return ok([]);
  const text = await ask(oneAddress(asked), signal);
  const one = text.ok ? readOne(text.value) : text;
  if (!one.ok) return one;
  const row = one.value.rows.find((found) => isSameRequest(found, { key: id }));
  if (row !== undefined) return ok([{ id, state: clipped(stateWord(row.state), 50) }]);
  // Where the index does not reach and the service could not be asked, it may be there.
  const isCertain = one.value.asked.every(({ failure }) => failure === undefined);
  return ok(isCertain ? [{ id, state: GONE }] : []);
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

import 'server-only';
import { type FacetLine, type FacetOf, UNKNOWN_STATE } from '@/lib/contract/codec/facets';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { type StateWord, WIRE_STATE } from '@/lib/domain/request-record';
import type { RequestsView } from '@/lib/requests/view';
import type { Counts } from './counts';
import { asKnown } from './counts-as-known';
import { countByState } from './counts-by-state';
import { isUnserved } from './log-source';
import type { Part } from './parts';

export type FacetsAsked = {
  view: RequestsView;
  of: FacetOf;
  /** Unix milliseconds. */
  nowMs: number;
  signal: AbortSignal;
};

export type FacetEdges = {
  counts: Counts;
  /** The queries that make up a view. */
  parts: (view: RequestsView, nowMs: number) => Outcome<Part[]>;
  keepers: readonly string[];
  /** Ids of the networks to choose from. */
  networks: () => Promise<string[]>;
};

/** Values under way at once. The counts themselves have a bound of their own. */
const AT_ONCE = 16;

type Value = { value: string; view: RequestsView };
type Ask = { nowMs: number; signal: AbortSignal };

/**
 * How many rows each value of a filter would show, with all other filters of the view as they are; a line per value as it
 * is known. Rejects only when the signal is aborted.
 */
export async function* facetLines(
  { view, of, nowMs, signal }: FacetsAsked,
  edges: FacetEdges,
): AsyncGenerator<FacetLine, void, void> {
  const ask = { nowMs, signal };
  const values = await valuesOf(view, of, edges);
  const work: (() => Promise<FacetLine | undefined>)[] = values.map(
    (value) => () => countValue(value, edges, ask),
  );
  if (of === 'state') work.push(() => countUnknown({ ...view, states: [] }, edges, ask));
  for await (const line of asKnown(work, AT_ONCE)) {
    if (line === undefined) continue;
    yield line;
    // The next value would only meet the same trouble, and a service in trouble needs no more questions.
    if (line.kind === 'problem') return;
  }
  yield { kind: 'complete' };
}

/** What there is to choose from, and what the view has chosen besides. */
async function valuesOf(view: RequestsView, of: FacetOf, edges: FacetEdges): Promise<Value[]> {
  const each = (values: readonly string[], viewOf: (value: string) => RequestsView) =>
    [...new Set(values)].map((value) => ({ value, view: viewOf(value) }));
  switch (of) {
    case 'network':
      return each([...(await edges.networks()), ...view.networks], (value) => ({
        ...view,
        networks: [value],
      }));
    case 'state':
      return each([...words(), ...view.states], (value) => ({ ...view, states: [value] }));
    case 'keeper':
      return each(edges.keepers, (value) => ({ ...view, keepers: [value] }));
  }
}

function words(): StateWord[] {
  return Object.keys(WIRE_STATE) as StateWord[];
}

async function countValue({ value, view }: Value, edges: FacetEdges, ask: Ask): Promise<FacetLine> {
  const total = await totalOf(view, edges, ask);
  if (total.ok) return { kind: 'count', value, total: total.value };
  const { failure } = total;
  return isAboutTheValue(failure) ? { kind: 'refused', value, failure } : { kind: 'problem', failure };
}

/** Whether another value may still be answered. */
function isAboutTheValue({ kind }: Failure): boolean {
  return kind === 'rejected' || kind === 'missing' || kind === 'bad-request';
}

/** The sum over the parts. A network that some keepers don't serve has the rows of the others. */
async function totalOf(
  view: RequestsView,
  edges: FacetEdges,
  { nowMs, signal }: Ask,
): Promise<Outcome<string>> {
  const parts = edges.parts(view, nowMs);
  if (!parts.ok) return parts;
  const found = await Promise.all(
    parts.value.map(({ source, filter }) => edges.counts.count(source, filter, { signal })),
  );
  let sum = 0n;
  let refusal: Failure | undefined;
  let served = 0;
  for (const [at, count] of found.entries()) {
    if (count.ok) {
      sum += BigInt(count.value);
      served += 1;
    } else if (isUnserved(count.failure, parts.value[at]?.filter ?? {})) refusal ??= count.failure;
    else return count;
  }
  return refusal !== undefined && served === 0 ? failed(refusal) : ok(sum.toString());
}

/** The rows in none of the four states; no line when there are none. */
async function countUnknown(
  view: RequestsView,
  edges: FacetEdges,
  { nowMs, signal }: Ask,
): Promise<FacetLine | undefined> {
  const parts = edges.parts(view, nowMs);
  if (!parts.ok) return undefined;
  let unknown = 0n;
  for (const part of parts.value) {
    const total = await edges.counts.count(part.source, part.filter, { signal });
    if (!total.ok && isUnserved(total.failure, part.filter)) continue;
    if (!total.ok) return unknownOf(total.failure);
    const counts = await countByState(edges.counts, part, Number(total.value), signal);
    if (!counts.ok) return unknownOf(counts.failure);
    unknown += BigInt(counts.value.unknown);
  }
  return unknown === 0n ? undefined : { kind: 'count', value: UNKNOWN_STATE, total: unknown.toString() };
}

function unknownOf(failure: Failure): FacetLine | undefined {
  return isAboutTheValue(failure) ? undefined : { kind: 'problem', failure };
}

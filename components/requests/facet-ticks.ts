import type { Tick } from '@/components/ui/tick-list';
import type { Facet } from '@/lib/client/facets';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { type FacetOf, UNKNOWN_STATE } from '@/lib/contract/codec/facets';

/**
 * The values of a filter with their counts. `first` stand in front; values that were counted but not offered follow the
 * offered ones, and at the end stands what the keeper does not serve, which can't be newly ticked.
 */
export function facetTicks(
  of: FacetOf,
  ticks: readonly Tick[],
  facet: Facet,
  first: readonly string[],
): Tick[] {
  const offered = new Set(ticks.map(({ value }) => value));
  const more = [...facet.counts.keys()]
    .filter((value) => !offered.has(value))
    .map((value) => foundTick(of, value));
  const inFront = ticks.filter(({ value }) => first.includes(value));
  const others = [...ticks.filter(({ value }) => !first.includes(value)), ...more];
  const isRefused = ({ value }: Tick) => 'problem' in (facet.counts.get(value) ?? {});
  const [refused, answered] = [others.filter(isRefused), others.filter((tick) => !isRefused(tick))];
  return [...inFront, ...answered, ...refused].map((tick) => counted(of, tick, facet));
}

function foundTick(of: FacetOf, value: string): Tick {
  if (of === 'state' && value === UNKNOWN_STATE) {
    return { value, label: 'Other states', standing: 'barred', note: 'cannot be asked for' };
  }
  return { value, label: of === 'network' ? `Network ${value}` : value };
}

function counted(of: FacetOf, tick: Tick, { counts, complete, failure }: Facet): Tick {
  const known = counts.get(tick.value);
  if (known === undefined) return { ...tick, figure: complete || failure !== undefined ? '–' : '…' };
  if ('total' in known) return { ...tick, figure: groupDigits(known.total) };
  return { ...tick, standing: 'barred', note: of === 'network' ? 'not served' : 'refused' };
}

const ALL: Record<FacetOf, string> = {
  network: 'all networks',
  state: 'all states',
  keeper: 'the default keeper',
};

/** The line below the list: how the counting stands, and what it means that none is chosen. */
export function facetWords(of: FacetOf, { counts, complete, failure }: Facet, chosen: number): string {
  const choice = chosen === 0 ? `None chosen: ${ALL[of]}.` : `${chosen} chosen.`;
  if (failure !== undefined) return `${choice} Counts are missing: ${clipped(failure.detail, 200)}`;
  if (complete) return choice;
  return counts.size === 0 ? `${choice} Counting…` : `${choice} ${counts.size} counted…`;
}

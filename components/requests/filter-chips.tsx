import { Icon } from '@/components/ui/icons';
import { withoutColumnFilters } from '@/lib/client/cell-filters';
import { shortened } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { Network } from '@/lib/domain/network';
import { type Bounds, type Cell, type RequestsView, withFilter } from '@/lib/requests/view';
import { isSameCell, LIST_FILTERS, RANGE_FILTERS } from '@/lib/requests/view-filters';
import { COLUMNS } from './columns';
import classes from './filter-chips.module.css';
import { stateLabel } from './state-words';
import type { ShowView } from './use-requests-view';

/** `look`: hex stands in figures of one width, words do not. */
type Chip = { words: string; value: string; look: 'mono' | 'num'; without: RequestsView };

function valueWords({ column, value }: Cell, networks: readonly Network[]): string {
  if (column === 'state') return stateLabel(value);
  if (column !== 'network') return shortened(value);
  return networks.find(({ networkId }) => networkId === value)?.name ?? `network ${shortened(value)}`;
}

function boundsWords({ min, max }: Bounds): string {
  if (max === undefined) return `from ${groupDigits(min ?? '')}`;
  return min === undefined ? `to ${groupDigits(max)}` : `${groupDigits(min)} to ${groupDigits(max)}`;
}

function cellChip(
  words: 'is' | 'is not',
  cell: Cell,
  networks: readonly Network[],
  without: RequestsView,
): Chip {
  return {
    words: `${COLUMNS[cell.column].label} ${words}`,
    value: valueWords(cell, networks),
    look: cell.value.startsWith('0x') ? 'mono' : 'num',
    without,
  };
}

function chipsOf(view: RequestsView, networks: readonly Network[]): Chip[] {
  const lists = (['sender', 'provider', 'failure'] as const).flatMap((column) => {
    const list = LIST_FILTERS[column];
    if (list === undefined) return [];
    return view[list].map((value) => {
      const left = view[list].filter((other) => other !== value);
      return cellChip('is', { column, value }, networks, withFilter(view, { [list]: left }));
    });
  });
  const ranges = RANGE_FILTERS.flatMap(({ column, filter }): Chip[] => {
    const { [filter]: bounds, ...without } = view;
    if (bounds === undefined) return [];
    const words = COLUMNS[column].label;
    return [{ words, value: boundsWords(bounds), look: 'num', without: withFilter(without, {}) }];
  });
  const nots = view.not.map((cell) => {
    const left = view.not.filter((other) => !isSameCell(other, cell));
    return cellChip('is not', cell, networks, withFilter(view, { not: left }));
  });
  return [...lists, ...ranges, ...nots];
}

/** The filters on columns that have no field of their own, each with a button that lifts it; nothing where there are none. */
export function FilterChips({
  view,
  networks,
  show,
}: {
  view: RequestsView;
  networks: readonly Network[];
  show: ShowView;
}) {
  const chips = chipsOf(view, networks);
  if (chips.length === 0) return null;
  return (
    <div className={classes.chips}>
      <ul className={classes.list} aria-label="Filters on columns">
        {chips.map(({ words, value, look, without }) => (
          <li key={`${words} ${value}`} className={classes.chip}>
            <span>
              {words} <bdi className={look}>{value}</bdi>
            </span>
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove: ${words} ${value}`}
              title="Remove"
              onClick={() => show(() => without, 'push')}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className={classes.clear}
        onClick={() => show((now) => withoutColumnFilters(now), 'push')}
      >
        Remove all
      </button>
    </div>
  );
}

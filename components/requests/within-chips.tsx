import { Icon } from '@/components/ui/icons';
import { withoutCell, withWithin } from '@/lib/client/cell-filters';
import { shortened } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { Cell, RequestsView, Within } from '@/lib/contract/codec/requests-url';
import { noWithin } from '@/lib/contract/codec/requests-within';
import type { Network } from '@/lib/domain/network';
import { COLUMNS } from './columns';
import { stateLabel } from './state-words';
import type { ShowView } from './use-requests-view';
import classes from './within-chips.module.css';

/** `look`: hex stands in figures of one width, words do not. */
type Chip = { key: string; words: string; value: string; look: 'mono' | 'num'; without: Within };

function valueWords({ column, value }: Cell, networks: readonly Network[]): string {
  if (column === 'state') return stateLabel(value);
  if (column !== 'network') return shortened(value);
  return networks.find(({ networkId }) => networkId === value)?.name ?? `network ${shortened(value)}`;
}

function gasWords({ gasMin, gasMax }: Within): string {
  if (gasMax === undefined) return `from ${groupDigits(gasMin ?? '')}`;
  return gasMin === undefined
    ? `to ${groupDigits(gasMax)}`
    : `${groupDigits(gasMin)} to ${groupDigits(gasMax)}`;
}

function chipsOf(within: Within, networks: readonly Network[]): Chip[] {
  const cells = (['only', 'not'] as const).flatMap((list) =>
    within[list].map((cell) => ({
      key: `${list}/${cell.column}/${cell.value}`,
      words: `${COLUMNS[cell.column].label} ${list === 'only' ? 'is' : 'is not'}`,
      value: valueWords(cell, networks),
      look: cell.value.startsWith('0x') ? ('mono' as const) : ('num' as const),
      without: withoutCell(within, list, cell),
    })),
  );
  const hasGas = within.gasMin !== undefined || within.gasMax !== undefined;
  const gas = {
    key: 'gas',
    words: COLUMNS['gas-limit'].label,
    value: gasWords(within),
    look: 'num' as const,
    without: { only: within.only, not: within.not },
  };
  return hasGas ? [...cells, gas] : cells;
}

/** The filters that hold within the loaded rows, each with a button that lifts it; nothing where there are none. */
export function WithinChips({
  view,
  loaded,
  networks,
  show,
}: {
  view: RequestsView;
  /** How many rows are loaded. */
  loaded: number;
  networks: readonly Network[];
  show: ShowView;
}) {
  const chips = chipsOf(view.within, networks);
  if (chips.length === 0) return null;
  const change = (within: Within) => show((now) => withWithin(now, within), 'push');
  return (
    <div className={classes.chips}>
      <span className={classes.lead}>
        Within the <span className="num">{groupDigits(String(loaded))}</span> loaded{' '}
        {loaded === 1 ? 'row' : 'rows'}:
      </span>
      <ul className={classes.list} aria-label="Filters within the loaded rows">
        {chips.map(({ key, words, value, look, without }) => (
          <li key={key} className={classes.chip}>
            <span>
              {words} <bdi className={look}>{value}</bdi>
            </span>
            <button
              type="button"
              className="icon-button"
              aria-label={`Remove: ${words} ${value}`}
              title="Remove"
              onClick={() => change(without)}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
      <button type="button" className={classes.clear} onClick={() => change(noWithin())}>
        Remove all
      </button>
    </div>
  );
}

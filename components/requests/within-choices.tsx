'use client';
import { useState } from 'react';
import { type Tick, TickList } from '@/components/ui/tick-list';
import { onlyValues } from '@/lib/client/cell-filters';
import { shortened } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { loadedValues, typedAmount } from '@/lib/client/loaded-values';
import type { ListedRow } from '@/lib/contract/codec/listing';
import type { Within } from '@/lib/contract/codec/requests-url';
import { choiceDraftOf, reconciledChoice, sentDraft } from './choice-draft';
import classes from './within-choices.module.css';

type Props = {
  within: Within;
  rows: readonly ListedRow[];
  onChange: (within: Within, as: 'push' | 'replace') => void;
};

/** With its members in the order in which the URL gives them back, so that its echo is known. */
function inOrder({ only, not, gasMin, gasMax }: Within): Within {
  return {
    only,
    not,
    ...(gasMin === undefined ? {} : { gasMin }),
    ...(gasMax === undefined ? {} : { gasMax }),
  };
}

/** What is chosen holds at once: the next choice must not be counted from a URL that has not followed yet. */
function useWithinDraft(given: Within, onChange: Props['onChange']) {
  const [kept, setDraft] = useState(() => choiceDraftOf(inOrder(given)));
  const [changed, setChanged] = useState<'no' | 'yes'>('no');
  const draft = reconciledChoice(kept, inOrder(given));
  if (draft !== kept) setDraft(draft);
  // Back undoes everything that was chosen while the window was open.
  const change = (next: Within) => {
    setDraft(sentDraft(draft, inOrder(next)));
    onChange(next, changed === 'no' ? 'push' : 'replace');
    setChanged('yes');
  };
  return { within: draft.values, change };
}

/** Sender, provider and gas limit, with what the loaded rows hold of them. */
export function WithinChoices({ within: given, rows, onChange }: Props) {
  const { within, change } = useWithinDraft(given, onChange);
  const count = groupDigits(String(rows.length));
  return (
    <div className={classes.choices}>
      <p className={classes.lead}>
        Within the <strong className="num">{count}</strong> loaded {rows.length === 1 ? 'row' : 'rows'}: the
        service has no such filters.
      </p>
      <div className={classes.gas}>
        <GasField
          label="Lowest gas limit"
          value={within.gasMin}
          onTake={(gasMin) => change({ ...within, gasMin })}
        />
        <GasField
          label="Highest gas limit"
          value={within.gasMax}
          onTake={(gasMax) => change({ ...within, gasMax })}
        />
      </div>
      {(['sender', 'provider'] as const).map((column) => (
        <AddressChoice key={column} column={column} within={within} rows={rows} onChange={change} />
      ))}
    </div>
  );
}

const NAMES = {
  sender: { title: 'Sender', name: 'Senders of the loaded rows', filter: 'Find a sender' },
  provider: { title: 'Provider', name: 'Providers of the loaded rows', filter: 'Find a provider' },
};

/** More would be no list to choose from; the field finds the others. */
const MOST_LISTED = 200;
/** Below this many a field to narrow the list is not worth its room. */
const WITH_FIELD = 7;

function AddressChoice({
  column,
  within,
  rows,
  onChange,
}: {
  column: 'sender' | 'provider';
  within: Within;
  rows: readonly ListedRow[];
  onChange: (within: Within) => void;
}) {
  const chosen = within.only.filter((cell) => cell.column === column).map(({ value }) => value);
  const values = loadedValues(rows, column, chosen);
  const hasField = values.length >= WITH_FIELD;
  const { title, name, filter } = NAMES[column];
  const ticks = values.slice(0, MOST_LISTED).map(
    ({ value, count }): Tick => ({
      value,
      label: shortened(value),
      search: value,
      figure: groupDigits(String(count)),
    }),
  );
  return (
    <section className={classes.column}>
      {hasField ? <h2 className={classes.title}>{title}</h2> : null}
      <TickList
        name={name}
        title={title}
        filterName={hasField ? filter : undefined}
        ticks={ticks}
        chosen={chosen}
        focus="left"
        onChoose={(next) => onChange(onlyValues(within, column, next))}
        foot={
          values.length > MOST_LISTED ? `The ${MOST_LISTED} most frequent of ${values.length}` : undefined
        }
      />
    </section>
  );
}

/** One end of the gas limit, inclusive. Taken on Enter or when the field is left, if it is a number. */
function GasField({
  label,
  value = '',
  onTake,
}: {
  label: string;
  value: string | undefined;
  onTake: (value: string | undefined) => void;
}) {
  const shown = groupDigits(value);
  const [draft, setDraft] = useState({ text: shown, seen: shown });
  if (draft.seen !== shown) setDraft({ text: shown, seen: shown });
  const { text } = draft.seen === shown ? draft : { text: shown };
  const amount = typedAmount(text);
  const isRefused = amount === undefined && text.trim() !== '';

  function take() {
    if (!isRefused && (amount ?? '') !== value) onTake(amount);
  }

  return (
    <label className={classes.field}>
      {label}
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        placeholder="open"
        value={text}
        aria-invalid={isRefused}
        onChange={(event) => setDraft({ text: event.currentTarget.value, seen: shown })}
        onBlur={take}
        onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
      />
      {isRefused ? <span className={classes.refused}>Digits, such as 500,000</span> : null}
    </label>
  );
}

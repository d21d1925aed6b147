'use client';
import { ChoiceSelect } from '@/components/ui/choice-select';
import type { Tick } from '@/components/ui/tick-list';
import { clipped } from '@/lib/client/foreign-text';
import { isStateWord } from '@/lib/domain/request-record';
import type { RequestsView } from '@/lib/requests/view';
import { SEVERAL, SeveralFilter } from './several-filter';
import { STATE_LABELS } from './state-words';

type Choose = (states: string[], as: 'push' | 'replace') => void;

const WORDS = Object.entries(STATE_LABELS).map(([value, label]) => ({ value, label }));

/** The states that can be asked for; those of a link that have no word of ours stand there too. */
function stateTicks(chosen: readonly string[]): Tick[] {
  const foreign = chosen.filter((state) => !isStateWord(state));
  return [
    ...WORDS,
    ...foreign.map((value) => ({ value, label: clipped(value, 40), note: 'not a known state' })),
  ];
}

/** One state, all of them, or several. */
export function StateFilter({ view, onChoose }: { view: RequestsView; onChoose: Choose }) {
  const { states } = view;
  const ticks = stateTicks(states);
  const several =
    states.length > 1 ? [{ value: SEVERAL, label: `${states.length} states`, disabled: true }] : [];
  return (
    <SeveralFilter
      name="Choose several states"
      view={view}
      of="state"
      ticks={ticks}
      chosen={states}
      onChoose={onChoose}
    >
      <ChoiceSelect
        label="State"
        data={[
          { value: '', label: 'All states' },
          ...several,
          ...ticks.map(({ value, label }) => ({ value, label })),
        ]}
        value={states.length > 1 ? SEVERAL : (states[0] ?? '')}
        onChoose={(state) => onChoose(state === '' ? [] : [state], 'push')}
      />
    </SeveralFilter>
  );
}

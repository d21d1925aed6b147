'use client';
import { ChoiceSelect } from '@/components/ui/choice-select';
import { keeperFilter } from '@/lib/client/cell-filters';
import { clipped } from '@/lib/client/foreign-text';
import type { RequestsView } from '@/lib/requests/view';
import { SEVERAL, SeveralFilter } from './several-filter';

/** One keeper or several; nothing where there is no choice. The first one is what a link without keepers means. */
export function KeeperFilter({
  view,
  keepers,
  onChoose,
  onSwitch,
}: {
  view: RequestsView;
  keepers: readonly string[];
  onChoose: (keepers: string[], as: 'push' | 'replace') => void;
  /** One keeper was chosen in place of those before; it may serve other networks. */
  onSwitch: (keepers: string[]) => void;
}) {
  // A keeper of the link that does not exist stands there too, so that the field never names another one.
  const ticks = [...new Set([...keepers, ...view.keepers])].map((value) => ({
    value,
    label: clipped(value, 40),
    ...(keepers.includes(value) ? {} : { note: 'not configured' }),
  }));
  if (ticks.length < 2) return null;
  const chosen = view.keepers.length === 0 ? keepers.slice(0, 1) : view.keepers;
  const several =
    chosen.length > 1 ? [{ value: SEVERAL, label: `${chosen.length} keepers`, disabled: true }] : [];
  return (
    <SeveralFilter
      name="Choose several keepers"
      view={view}
      of="keeper"
      ticks={ticks}
      chosen={chosen}
      onChoose={(next, as) => onChoose(keeperFilter(next, keepers), as)}
    >
      <ChoiceSelect
        label="Keeper"
        data={[...several, ...ticks.map(({ value, label }) => ({ value, label }))]}
        value={chosen.length > 1 ? SEVERAL : (chosen[0] ?? '')}
        onChoose={(keeper) => onSwitch(keeperFilter([keeper], keepers))}
      />
    </SeveralFilter>
  );
}

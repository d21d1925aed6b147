'use client';
import { useMemo } from 'react';
import { Combobox } from '@/components/ui/combobox';
import type { Choice } from '@/components/ui/matching-choices';
import type { Tick } from '@/components/ui/tick-list';
import type { Network } from '@/lib/domain/network';
import type { RequestsView } from '@/lib/requests/view';
import { SEVERAL, SeveralFilter } from './several-filter';

const ALL: Choice = { value: '', label: 'All networks' };

/** Digits that name no offered network are an id all the same: keepers serve networks that nobody listed. */
function idChoice(text: string): Choice | undefined {
  return /^\d{1,19}$/.test(text)
    ? { value: BigInt(text).toString(), label: `Network ${BigInt(text)}`, hint: 'by id' }
    : undefined;
}

/** The offered networks, and those of the link that nobody listed. */
function networkTicks(networks: readonly Network[], chosen: readonly string[]): Tick[] {
  const offered = new Set(networks.map(({ networkId }) => networkId));
  const foreign = chosen.filter((id) => !offered.has(id)).flatMap((id) => idChoice(id) ?? []);
  return [
    ...networks.map(({ networkId, name }) => ({ value: networkId, label: name, hint: networkId })),
    ...foreign,
  ];
}

/** One network by name or id, all of them, or several. */
export function NetworkFilter({
  view,
  networks,
  onChoose,
}: {
  view: RequestsView;
  networks: readonly Network[];
  onChoose: (networkIds: string[], as: 'push' | 'replace') => void;
}) {
  const chosen = view.networks;
  const ticks = useMemo(() => networkTicks(networks, chosen), [networks, chosen]);
  const choices = useMemo(() => [ALL, ...ticks], [ticks]);
  const inForce =
    chosen.length > 1
      ? { value: SEVERAL, label: `${chosen.length} networks` }
      : choices.find((choice) => choice.value === (chosen[0] ?? ''));
  return (
    <SeveralFilter
      name="Choose several networks"
      view={view}
      of="network"
      ticks={ticks}
      tickOf={idChoice}
      filterName="Find a network"
      chosen={chosen}
      onChoose={onChoose}
    >
      <Combobox
        label="Network"
        placeholder="Name or id"
        choices={choices}
        chosen={inForce}
        choiceOf={idChoice}
        onChoose={(choice) => onChoose(choice.value === '' ? [] : [choice.value], 'push')}
      />
    </SeveralFilter>
  );
}

'use client';
import { useMemo } from 'react';
import { Combobox } from '@/components/ui/combobox';
import type { Choice } from '@/components/ui/matching-choices';
import type { Network } from '@/lib/domain/network';

const ALL: Choice = { value: '', label: 'All networks' };

/** Digits that name no offered network are an id all the same: keepers serve networks that nobody listed. */
function idChoice(text: string): Choice | undefined {
  return /^\d{1,19}$/.test(text)
    ? { value: BigInt(text).toString(), label: `Network ${BigInt(text)}`, hint: 'by id' }
    : undefined;
}

/** One network by name or id, or all of them. */
export function NetworkFilter({
  networks,
  chosenId,
  onChoose,
}: {
  networks: readonly Network[];
  chosenId: string | undefined;
  onChoose: (networkId: string | undefined) => void;
}) {
  const choices = useMemo(
    () => [
      ALL,
      ...networks.map((network) => ({
        value: network.networkId,
        label: network.name,
        hint: network.networkId,
      })),
    ],
    [networks],
  );
  const chosen = choices.find((choice) => choice.value === (chosenId ?? '')) ?? idChoice(chosenId ?? '');
  return (
    <Combobox
      label="Network"
      placeholder="Name or id"
      choices={choices}
      chosen={chosen}
      choiceOf={idChoice}
      onChoose={(choice) => onChoose(choice.value === '' ? undefined : choice.value)}
    />
  );
}

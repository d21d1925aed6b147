import { ActionIcon, Group } from '@mantine/core';
import type { Route } from 'next';
import { useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Link } from '@/components/ui/link';
import { useShortcut } from '@/components/ui/shortcuts';
import { MutedInline } from '@/components/ui/text';
import { lastRows } from '@/lib/requests/client/browsing-history';
import { linkOfKey } from '@/lib/requests/request-address';
import type { ListedRecord, Related } from '@/lib/requests/requests-response';

type Target = NonNullable<ReturnType<typeof linkOfKey>>;
type Steps = { place: string; previous: Target | undefined; next: Target | undefined };

/** Neighbours in the list last viewed in this browser; undefined if it does not have the request. */
function stepsInList(key: string): Steps | undefined {
  const keys = lastRows();
  const at = keys.indexOf(key);
  if (at === -1) return undefined;
  const target = (to: number) => linkOfKey(keys[to] ?? '');
  return { place: `${at + 1} of ${keys.length} listed`, previous: target(at - 1), next: target(at + 1) };
}

function stepsInSequence(related: Related | undefined): Steps {
  const target = (row: ListedRecord | undefined) => row && linkOfKey(row.key);
  return { place: 'By sequence', previous: target(related?.before[0]), next: target(related?.after[0]) };
}

type Props = { record: ListedRecord; related: Related | undefined };

/** Leads to the previous and next request, by `k` and `j` too. They replace it in the history: Back leads to the list. */
export function RequestStepper({ record: { key }, related }: Props) {
  const [inList, setInList] = useState<Steps>();
  useEffect(() => setInList(stepsInList(key)), [key]);
  const { place, previous, next } = inList ?? stepsInSequence(related);
  return (
    <Group gap={4} wrap="nowrap" ml="auto">
      <MutedInline size="sm" className="num" visibleFrom="sm">
        {place}
      </MutedInline>
      <Step name="Previous" keys="k" shape="↑" target={previous} />
      <Step name="Next" keys="j" shape="↓" target={next} />
    </Group>
  );
}

type StepProps = { name: string; keys: string; shape: string; target: Target | undefined };

function Step({ name, keys, shape, target }: StepProps) {
  const router = useRouter();
  useShortcut(target && keys, () => target && router.replace(target.href));
  if (target === undefined) {
    return (
      <ActionIcon variant="default" disabled aria-label={`${name} request: none`}>
        {shape}
      </ActionIcon>
    );
  }
  const words = `${name} request: ${target.label}`;
  return (
    <ActionIcon
      variant="default"
      component={Link}
      replace
      href={target.href as Route}
      aria-label={words}
      aria-keyshortcuts={keys}
      title={`${words} (${keys})`}
    >
      {shape}
    </ActionIcon>
  );
}

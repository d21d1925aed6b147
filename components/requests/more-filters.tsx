'use client';
import { Button, Drawer, Group, Input, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fetchGatewayText } from '@/lib/core/gateway';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import { type ColumnValues, readColumnValues } from '@/lib/requests/answers';
import { viewKeyOf } from '@/lib/requests/load';
import {
  type Bounds,
  parseRequestsUrl,
  REQUESTS_PATH,
  type RequestsView,
  withFilter,
} from '@/lib/requests/view';
import type { ShowView } from './requests-context';

type Props = { view: RequestsView; show: ShowView; opened: boolean; onClose: () => void };

const LISTS = [
  { column: 'sender', list: 'senders', label: 'Sender' },
  { column: 'provider', list: 'providers', label: 'Provider' },
  { column: 'failure', list: 'failures', label: 'Failure' },
] as const;

const RANGES = [
  { filter: 'duration', param: 'duration', label: 'Latency, s' },
  { filter: 'gasLimit', param: 'gas_limit', label: 'Gas limit' },
  { filter: 'gasUsed', param: 'gas_used', label: 'Gas used' },
  { filter: 'block', param: 'block', label: 'Request block' },
] as const;

/** Filters on the columns that have no select of their own, over all rows. */
export function MoreFilters({ view, show, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="More filters" size="lg" centered={false}>
      <ColumnFilters view={view} show={show} />
      <Group justify="end" mt="md">
        <Button variant="filled" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Modal>
  );
}

/** On a phone: all filters but the search. */
export function FilterDrawer({ view, show, opened, onClose, children }: Props & { children: ReactNode }) {
  return (
    <Drawer opened={opened} onClose={onClose} title="Filters" position="bottom" size="85%">
      <Stack gap="sm">
        {children}
        <ColumnFilters view={view} show={show} />
        <Button variant="filled" size="md" onClick={onClose}>
          Show requests
        </Button>
      </Stack>
    </Drawer>
  );
}

function ColumnFilters({ view, show }: Pick<Props, 'view' | 'show'>) {
  return (
    <Stack gap="sm">
      {LISTS.map((one) => (
        <ValuesFilter key={one.column} {...one} view={view} show={show} />
      ))}
      {RANGES.map((one) => (
        <RangeFilter
          key={`${one.param} ${JSON.stringify(view[one.filter])}`}
          {...one}
          view={view}
          show={show}
        />
      ))}
    </Stack>
  );
}

function useColumnValues(view: RequestsView, column: string, find: string): ColumnValues | undefined {
  const params = new URLSearchParams(viewKeyOf(view).slice(REQUESTS_PATH.length + 1));
  params.set('column', column);
  if (find !== '') params.set('find', find);
  const path = `/api/view/requests/values?${params}`;
  const { data } = useQuery({
    queryKey: ['requests-values', path],
    queryFn: async ({ signal }) => {
      const text = await fetchGatewayText(path, signal);
      return text.ok ? readColumnValues(text.value) : text;
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
  return data?.ok ? data.value : undefined;
}

type ValuesProps = (typeof LISTS)[number] & Pick<Props, 'view' | 'show'>;

function ValuesFilter({ column, list, label, view, show }: ValuesProps) {
  const [find, setFind] = useState('');
  const [asked] = useDebouncedValue(find.trim(), 200);
  const found = useColumnValues(view, column, asked);
  const offered = new Map((found?.values ?? []).map((value) => [value.value, value]));
  const all = [...new Set([...view[list], ...offered.keys()])];
  const words = (value: string) => clipped(shortened(value), 60);
  return (
    <MultiSelect
      label={label}
      placeholder={view[list].length === 0 ? 'Any' : ''}
      data={all.map((value) => ({ value, label: words(value) }))}
      value={view[list]}
      onChange={(values) => show((now) => withFilter(now, { [list]: values }), 'push')}
      searchable
      searchValue={find}
      onSearchChange={setFind}
      // What was typed is looked for among all values by the server, by text that a label may not show.
      filter={({ options }) => options}
      nothingFoundMessage="No results"
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" wrap="nowrap">
          <bdi>{option.label}</bdi>
          <span className="num">{groupDigits(String(offered.get(option.value)?.count ?? ''))}</span>
        </Group>
      )}
      maxDropdownHeight={260}
    />
  );
}

type RangeProps = (typeof RANGES)[number] & Pick<Props, 'view' | 'show'>;

/** Both ends of a range; read by the codec of the URL, so that what it refuses is refused here, in its words. */
function RangeFilter({ filter, param, label, view, show }: RangeProps) {
  const { min = '', max = '' }: Bounds = view[filter] ?? {};
  const [draft, setDraft] = useState({ min, max });
  const clean = (text: string) => text.replaceAll(/[\s,_]/g, '');
  const text = `${clean(draft.min)}..${clean(draft.max)}`;
  const read = parseRequestsUrl(new URLSearchParams(text === '..' ? [] : [[param, text]]));
  const problem = read.problems[0]?.message;

  function take() {
    if (problem !== undefined || text === `${min}..${max}`) return;
    const bounds = read.view[filter];
    show((now) => {
      const { [filter]: _, ...without } = now;
      return withFilter(bounds === undefined ? without : { ...without, [filter]: bounds }, {});
    }, 'push');
  }
  const side = (name: 'min' | 'max', words: string) => (
    <TextInput
      aria-label={`${label}, ${words.toLowerCase()}`}
      placeholder={words}
      inputMode="decimal"
      autoComplete="off"
      value={draft[name]}
      error={problem !== undefined}
      onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
      onBlur={take}
      onKeyDown={(event) => (event.key === 'Enter' ? take() : undefined)}
      flex={1}
    />
  );
  return (
    <Input.Wrapper label={label} labelElement="div" error={problem}>
      <Group gap="xs" wrap="nowrap">
        {side('min', 'Lowest')}
        {side('max', 'Highest')}
      </Group>
    </Input.Wrapper>
  );
}

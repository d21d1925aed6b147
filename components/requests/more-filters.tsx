'use client';
import { Button, Drawer, Group, Input, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { COLUMN_SCHEMA } from '@/lib/requests/column-schema';
import { asNewList, MORE_LISTS } from '@/lib/requests/filters';
import { type Bounds, RANGE_FILTERS } from '@/lib/requests/view';
import { parseRequestsUrl } from '@/lib/requests/view-url';
import { useRequests } from './requests-context';
import { useColumnValues } from './search-field';

type Props = { opened: boolean; onClose: () => void; children?: ReactNode };

/** On a phone, `children` are the selects of the bar. */
export function MoreFilters({ opened, onClose, children }: Props) {
  const { view } = useRequests();
  const isPhone = children !== undefined;
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title={isPhone ? 'Filters' : 'More filters'}
      position={isPhone ? 'bottom' : 'right'}
      size={isPhone ? '85%' : 'md'}
    >
      <Stack gap="sm">
        {children}
        {MORE_LISTS.map((list) => (
          <ValuesFilter key={list.column} {...list} />
        ))}
        {RANGE_FILTERS.map((range) => (
          <RangeFilter key={`${range.param} ${JSON.stringify(view[range.member])}`} {...range} />
        ))}
        <Button variant="filled" size={isPhone ? 'md' : 'xs'} onClick={onClose}>
          Show requests
        </Button>
      </Stack>
    </Drawer>
  );
}

const holds = (value: string, text: string) => value.toLowerCase().includes(text.trim().toLowerCase());

function ValuesFilter({ column, list }: (typeof MORE_LISTS)[number]) {
  const { view, show } = useRequests();
  const [find, setFind] = useState('');
  const [searched] = useDebouncedValue(find.trim(), 200);
  const { suggestions, isSearching } = useColumnValues(view, column, searched);
  const offered = new Map((suggestions?.values ?? []).map(({ value, count }) => [value, count]));
  return (
    <MultiSelect
      label={COLUMN_SCHEMA[column].label}
      placeholder={view[list].length === 0 ? 'Any' : ''}
      data={[...new Set([...view[list], ...offered.keys()])].map((value) => ({
        value,
        label: clipped(shortenHex(value), 60),
      }))}
      value={view[list]}
      onChange={(values) => show((now) => asNewList(now, { [list]: values }), 'push')}
      searchable
      searchValue={find}
      onSearchChange={setFind}
      // Options are matched by value, which a label may shorten. Until the server answers, older options that match are offered.
      filter={({ options, search }) =>
        options.filter((option) => 'value' in option && holds(option.value, search))
      }
      nothingFoundMessage={isSearching || searched !== find.trim() ? 'Searching…' : 'No results'}
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" wrap="nowrap">
          <bdi>{option.label}</bdi>
          <span className="num">{groupDigits(String(offered.get(option.value) ?? ''))}</span>
        </Group>
      )}
      maxDropdownHeight={260}
    />
  );
}

/** The URL codec parses both ends and words the error. */
function RangeFilter({ column, member, param, unit }: (typeof RANGE_FILTERS)[number]) {
  const { view, show } = useRequests();
  const { min = '', max = '' }: Bounds = view[member] ?? {};
  const [draft, setDraft] = useState({ min, max });
  const label = `${COLUMN_SCHEMA[column].label}${unit === 'seconds' ? ', s' : ''}`;
  const clean = (text: string) => text.replaceAll(/[\s,_]/g, '');
  const text = `${clean(draft.min)}..${clean(draft.max)}`;
  const read = parseRequestsUrl(new URLSearchParams(text === '..' ? [] : [[param, text]]));
  const problem = read.problems[0]?.message;

  function apply() {
    if (problem !== undefined || text === `${min}..${max}`) return;
    const { [member]: bounds } = read.view;
    show(
      ({ [member]: _, ...now }) => asNewList(now, bounds === undefined ? {} : { [member]: bounds }),
      'push',
    );
  }
  const side = (name: 'min' | 'max', words: string) => (
    <TextInput
      aria-label={`${label}, ${words.toLowerCase()}`}
      placeholder={words}
      inputMode="decimal"
      value={draft[name]}
      error={problem !== undefined}
      onChange={(event) => setDraft({ ...draft, [name]: event.currentTarget.value })}
      onBlur={apply}
      onKeyDown={(event) => (event.key === 'Enter' ? apply() : undefined)}
      flex={1}
    />
  );
  return (
    <Input.Wrapper label={label} labelElement="div" error={problem}>
      <Group gap="xs" wrap="nowrap">
        {side('min', 'Min')}
        {side('max', 'Max')}
      </Group>
    </Input.Wrapper>
  );
}

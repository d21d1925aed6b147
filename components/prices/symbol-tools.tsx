'use client';
import { Anchor, Box, Button, Group, MultiSelect, TextInput, UnstyledButton } from '@mantine/core';
import type { MouseEvent } from 'react';
import { Icon } from '@/components/ui/icons';
import { Choice } from '@/components/ui/inputs';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import type { shownSymbols } from '@/lib/prices/client/symbol-list';
import type { FeedSymbol } from '@/lib/prices/symbols-response';
import { MAX_LOOKED_UP, type SymbolSort, type SymbolsView } from '@/lib/prices/view';
import { AddToBoard } from './add-to-board';
import classes from './prices.module.css';
import { lookupPath, SYMBOL_TERMS, UNKNOWN, wordsOf } from './symbol-names';

const SORTS = Object.fromEntries(
  Object.entries(SYMBOL_TERMS).map(([sort, name]) => [sort, `Sort: ${name.toLowerCase()}`]),
) as Record<SymbolSort, string>;

/** The filter of classes has tabs instead. */
const FACETS = ['state', 'channel'] as const;
/** Symbols and ids are shorter. */
const MAX_FIND_CHARACTERS = 100;
/** A URL can't contain lone surrogates. */
const wellFormed = (text: string) => text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd');

export type ToolsProps = {
  view: SymbolsView;
  counts: ReturnType<typeof shownSymbols>['counts'];
  show: (change: Partial<SymbolsView>, history?: 'push' | 'replace') => void;
};

export function Tools({ view, counts, show }: ToolsProps) {
  return (
    <Group component="search" aria-label="Symbols" gap="sm">
      <TextInput
        type="search"
        aria-label="Find a symbol"
        placeholder="Symbol, name, router id or feed id"
        flex="1 1 16rem"
        leftSection={<Icon name="search" size={14} />}
        spellCheck={false}
        maxLength={MAX_FIND_CHARACTERS}
        value={view.find}
        onChange={(event) => show({ find: wellFormed(event.currentTarget.value) }, 'replace')}
      />
      {FACETS.map((facet) => (
        <MultiSelect
          key={facet}
          size="xs"
          flex="1 1 8.5rem"
          miw={0}
          maw={{ sm: '15rem' }}
          role="combobox"
          aria-label={SYMBOL_TERMS[facet]}
          className={classes.facet}
          rightSection={view[facet].length === 0 ? <Icon name="down" size={12} /> : undefined}
          placeholder={view[facet].length === 0 ? `${SYMBOL_TERMS[facet]}: all` : ''}
          data={counts[facet].map(({ value, count }) => ({
            value,
            label: `${clipped(wordsOf(value) || UNKNOWN, 40)} (${groupDigits(count)})`,
          }))}
          value={view[facet]}
          searchable
          clearable
          onChange={(values) => show({ [facet]: values })}
        />
      ))}
      {/* On a phone the table has no heads to sort by. */}
      <Box hiddenFrom="sm" flex="1 1 8.5rem">
        <Choice
          aria-label="Sort"
          names={view.find === '' ? { ...SORTS, best: 'Sort: as listed' } : SORTS}
          value={view.sort}
          onChoose={(sort) => show({ sort, order: 'ascending' })}
        />
      </Box>
    </Group>
  );
}

/** A press selects one class or all; with Ctrl or Shift, several. */
export function ClassTabs({ view, counts, show }: ToolsProps) {
  const chosen = new Set(view.class);
  const all = counts.class.reduce((sum, { count }) => sum + count, 0);
  const choose = (value: string, { ctrlKey, metaKey, shiftKey }: MouseEvent) => {
    if (!ctrlKey && !metaKey && !shiftKey) return show({ class: [value] });
    if (!chosen.delete(value)) chosen.add(value);
    show({ class: [...chosen] });
  };
  return (
    <Group
      component="fieldset"
      gap="md"
      aria-label="Asset class"
      className={`${classes.views} ${classes.tabs}`}
    >
      <UnstyledButton aria-pressed={chosen.size === 0} onClick={() => show({ class: [] })}>
        All{' '}
        <Muted span size="sm" className="num">
          {groupDigits(all)}
        </Muted>
      </UnstyledButton>
      {counts.class.map(({ value, count }) => (
        <UnstyledButton
          key={value}
          title="With Ctrl or Shift beside the others"
          aria-pressed={chosen.has(value)}
          onClick={(event) => choose(value, event)}
        >
          <bdi>{clipped(wordsOf(value) || UNKNOWN, 40)}</bdi>{' '}
          <Muted span size="sm" className="num">
            {groupDigits(count)}
          </Muted>
        </UnstyledButton>
      ))}
    </Group>
  );
}

export function Picks({ picked, onClear }: { picked: readonly FeedSymbol[]; onClear: () => void }) {
  return (
    <Group component="fieldset" bd={0} p={0} m={0} gap="sm" aria-label="Selected symbols">
      <span>{groupDigits(picked.length)} selected</span>
      {picked.length > MAX_LOOKED_UP ? (
        <Muted>Up to {MAX_LOOKED_UP} per lookup</Muted>
      ) : (
        <Anchor component={Link} href={lookupPath(picked)}>
          Look up
        </Anchor>
      )}
      <AddToBoard symbols={picked} of="selected symbols" />
      <Button onClick={onClear}>Clear</Button>
    </Group>
  );
}

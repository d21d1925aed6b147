'use client';
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  NativeSelect,
  Pagination,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import type { Route } from 'next';
import Link from 'next/link';
import { useQueryStates } from 'nuqs';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { LiveControls } from '@/components/ui/live-controls';
import { useMomentWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import { clipped, shortened } from '@/lib/core/text';
import { feedPagePath } from '@/lib/feeds/page-url';
import { type FacetCount, shownSymbols, useSymbols } from '@/lib/prices/symbols';
import type { FeedSymbol, SourceStatus, SymbolSource, SymbolsAnswer } from '@/lib/prices/symbols-answer';
import {
  lookupUrl,
  MOST_LOOKED_UP,
  SYMBOL_FACETS,
  type SymbolFacet,
  type SymbolSort,
  type SymbolsView,
  symbolParsers,
} from '@/lib/prices/view';
import { AddToBoard } from './add-to-board';
import classes from './prices.module.css';

/** Every feed that the services name: searched, narrowed, and taken from here to a board, a lookup or a chart. */
export function SymbolDirectory() {
  const status = useSymbols();
  return (
    <NuqsAdapter>
      <Stack component="section" gap="sm" aria-labelledby="symbol-directory">
        <Title order={2} id="symbol-directory" className="sr-only">
          Symbol directory
        </Title>
        {status.state === 'loading' ? <Text role="status">Loading the directory…</Text> : null}
        {status.state === 'failed' ? (
          <Alert title="No list of symbols">
            {explainFailure(status.failure).title}. Resumes automatically.
          </Alert>
        ) : null}
        {status.state === 'loaded' ? <Notes answer={status.answer} /> : null}
        {status.state === 'loaded' && status.answer.symbols.length > 0 ? (
          <Directory answer={status.answer} />
        ) : null}
      </Stack>
    </NuqsAdapter>
  );
}

const keyOf = ({ routerId, feedId }: FeedSymbol) => `${routerId ?? ''}/${feedId ?? ''}`;

/** By feed id, which leads to both services, else by router id. */
const lookupOf = (symbols: readonly FeedSymbol[]) =>
  lookupUrl('/prices', { ids: symbols.flatMap(({ feedId, routerId }) => feedId ?? routerId ?? []) });

const NOT_TOLD = 'not told';
const ROWS_OF_PAGE = 50;
/** No address could hold half a character. */
const wellFormed = (text: string) => text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd');
/** No symbol and no id is longer. */
const LONGEST_FIND = 100;
const ALL = { find: '', class: [], state: [], channel: [] };

function Directory({ answer }: { answer: SymbolsAnswer }) {
  const [view, setView] = useQueryStates(symbolParsers, { history: 'push' });
  const [picked, setPicked] = useState<ReadonlyMap<string, FeedSymbol>>(new Map());
  // What is typed appears at once; the rows follow when there is time for them.
  const drawn = useDeferredValue(view);
  const { symbols, counts } = useMemo(() => shownSymbols(answer.symbols, drawn), [answer.symbols, drawn]);
  const toggle = (feed: FeedSymbol) =>
    setPicked((before) => {
      const after = new Map(before);
      if (!after.delete(keyOf(feed))) after.set(keyOf(feed), feed);
      return after;
    });
  const all = `${groupDigits(String(answer.symbols.length))} symbols`;
  const show = (change: Partial<SymbolsView>, history: 'push' | 'replace' = 'push') =>
    void setView(change, { history });
  return (
    <>
      <LiveControls>
        <Tools view={view} counts={counts} show={show} />
      </LiveControls>
      <Group mih="2rem">
        <Text role="status" c="dimmed">
          {symbols.length === answer.symbols.length
            ? all
            : `${groupDigits(String(symbols.length))} of ${all}`}
        </Text>
        {picked.size === 0 ? null : (
          <Picks picked={[...picked.values()]} onClear={() => setPicked(new Map())} />
        )}
      </Group>
      {symbols.length === 0 ? (
        <Group>
          <Text>No results</Text>
          <Button onClick={() => show(ALL)}>Show all symbols</Button>
        </Group>
      ) : (
        <Rows key={JSON.stringify(drawn)} symbols={symbols} picked={picked} onToggle={toggle} />
      )}
    </>
  );
}

const SORTS: readonly { value: SymbolSort; label: string }[] = [
  { value: 'best', label: 'Best match' },
  { value: 'symbol', label: 'Symbol' },
  { value: 'class', label: 'Asset class' },
  { value: 'state', label: 'State' },
  { value: 'channel', label: 'Fastest channel' },
  { value: 'router', label: 'Router id' },
];

const FACET_NAMES: Record<SymbolFacet, string> = {
  class: 'Asset class',
  state: 'State',
  channel: 'Minimum channel',
};

/** Which symbols are shown, and in which order. */
function Tools({
  view,
  counts,
  show,
}: {
  view: SymbolsView;
  counts: Readonly<Record<SymbolFacet, readonly FacetCount[]>>;
  show: (change: Partial<SymbolsView>, history?: 'push' | 'replace') => void;
}) {
  return (
    <Group component="search" aria-label="Symbols" gap="sm">
      <TextInput
        type="search"
        aria-label="Find a symbol"
        placeholder="Symbol, name, router id or feed id"
        flex="1 1 16rem"
        leftSection={<Icon name="search" size={14} />}
        autoComplete="off"
        spellCheck={false}
        maxLength={LONGEST_FIND}
        value={view.find}
        onChange={(event) => show({ find: wellFormed(event.currentTarget.value) }, 'replace')}
      />
      {SYMBOL_FACETS.map((facet) => (
        <MultiSelect
          key={facet}
          size="xs"
          flex="0 1 12rem"
          role="combobox"
          aria-label={FACET_NAMES[facet]}
          placeholder={view[facet].length === 0 ? FACET_NAMES[facet] : ''}
          data={counts[facet].map(({ value, count }) => ({
            value,
            label: `${clipped(value || NOT_TOLD, 40)} (${groupDigits(String(count))})`,
          }))}
          value={view[facet]}
          searchable
          clearable
          onChange={(values) => show({ [facet]: values })}
        />
      ))}
      <NativeSelect
        aria-label="Sort"
        data={[...SORTS]}
        value={view.sort}
        onChange={(event) => show({ sort: event.currentTarget.value as SymbolSort })}
      />
    </Group>
  );
}

/** What can be done with the symbols that were ticked. */
function Picks({ picked, onClear }: { picked: readonly FeedSymbol[]; onClear: () => void }) {
  return (
    <Group component="fieldset" bd={0} p={0} m={0} gap="sm" aria-label="Ticked symbols">
      <span>{groupDigits(String(picked.length))} ticked</span>
      {picked.length > MOST_LOOKED_UP ? (
        <Text c="dimmed">At most {MOST_LOOKED_UP} are looked up at once.</Text>
      ) : (
        <Anchor component={Link} href={lookupOf(picked)}>
          Look up
        </Anchor>
      )}
      <AddToBoard symbols={picked} of="ticked symbols" />
      <Button onClick={onClear}>Clear</Button>
    </Group>
  );
}

type RowsProps = {
  symbols: readonly FeedSymbol[];
  picked: ReadonlyMap<string, FeedSymbol>;
  onToggle: (feed: FeedSymbol) => void;
};

function Rows({ symbols, picked, onToggle }: RowsProps) {
  const [page, setPage] = useState(1);
  const from = (page - 1) * ROWS_OF_PAGE;
  const pages = Math.ceil(symbols.length / ROWS_OF_PAGE);
  return (
    <>
      <Table.ScrollContainer minWidth={900} type="native">
        <Table
          aria-label="Symbols"
          aria-rowcount={symbols.length + 1}
          verticalSpacing={4}
          highlightOnHover
          withTableBorder
        >
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <span className="sr-only">Ticked</span>
              </Table.Th>
              {['Symbol', 'Class', 'State', 'Min. channel', 'Router id', 'Feed id'].map((name) => (
                <Table.Th key={name} scope="col">
                  {name}
                </Table.Th>
              ))}
              <Table.Th>
                <span className="sr-only">Actions</span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {symbols.slice(from, from + ROWS_OF_PAGE).map((feed, at) => (
              <Row
                key={keyOf(feed)}
                feed={feed}
                index={from + at + 2}
                isTicked={picked.has(keyOf(feed))}
                onToggle={onToggle}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {pages < 2 ? null : (
        <Pagination
          size="sm"
          total={pages}
          value={page}
          onChange={setPage}
          aria-label="Pages of symbols"
          getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        />
      )}
    </>
  );
}

/** Names are a few words; a service may send a megabyte. */
const LONGEST_NAME = 80;

const told = (text = '') =>
  text === '' ? <span className={classes.soft}>{NOT_TOLD}</span> : <bdi>{clipped(text, 24)}</bdi>;

/** One feed: its names, what the router says of it, both its ids, and where it can be taken. */
function Row({
  feed,
  index,
  isTicked,
  onToggle,
}: {
  feed: FeedSymbol;
  index: number;
  isTicked: boolean;
  onToggle: (feed: FeedSymbol) => void;
}) {
  const symbol = clipped(feed.symbol, LONGEST_NAME);
  return (
    <Table.Tr aria-rowindex={index}>
      <Table.Td>
        <Checkbox
          size="xs"
          aria-label={`Tick ${symbol}`}
          checked={isTicked}
          onChange={() => onToggle(feed)}
        />
      </Table.Td>
      <Table.Th scope="row">
        <bdi>{symbol}</bdi>
        <Text component="bdi" display="block" size="xs" c="dimmed">
          {clipped(feed.description || feed.name, LONGEST_NAME)}
        </Text>
      </Table.Th>
      <Table.Td>{told(feed.assetType)}</Table.Td>
      <Table.Td className={feed.state === 'stable' ? undefined : classes.warn}>{told(feed.state)}</Table.Td>
      <Table.Td>{told(feed.minChannel)}</Table.Td>
      <Table.Td>
        <Id id={feed.routerId} what={`router id of ${symbol}`} service="The router" />
      </Table.Td>
      <Table.Td>
        <Id id={feed.feedId} what={`feed id of ${symbol}`} service="The price update service" />
      </Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Link href={lookupOf([feed])} aria-label={`Look up ${symbol}`} prefetch={false}>
            Look up
          </Link>
          {feed.feedId === undefined ? null : (
            <Link
              href={feedPagePath(feed.feedId) as Route}
              aria-label={`Open the chart of ${symbol}`}
              prefetch={false}
            >
              Chart
            </Link>
          )}
          <AddToBoard symbols={[feed]} of={symbol} />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** @param service that would know it, as a sentence begins */
function Id({ id, what, service }: { id: string | undefined; what: string; service: string }) {
  if (id === undefined) {
    return (
      <span className={classes.soft} title={`${service} does not list it`}>
        none
      </span>
    );
  }
  return (
    <Group gap={2} wrap="nowrap">
      <code title={id}>{id.length > 16 ? shortened(`0x${id}`) : id}</code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </Group>
  );
}

/** What is missing without a service's list, where it is not configured, and where it is empty. */
const LISTS: Record<SymbolSource, { missing: string; unconfigured: string; empty: string }> = {
  router: {
    missing: 'Router ids, minimum channels and states are not known without it.',
    unconfigured: 'The price router is not configured (ROUTER_URL).',
    empty: 'The price router lists no symbol.',
  },
  updates: {
    missing: 'Feeds that only this service lists are not shown.',
    unconfigured: 'The price update service is not configured (UPDATES_URL).',
    empty: 'The price update service lists no feed.',
  },
};

/** What is to be said of a list, if anything. @param isEmpty there is no symbol at all */
function noteOf(
  source: SymbolSource,
  status: SourceStatus,
  isEmpty: boolean,
  moment: (ms: number) => string,
) {
  const { missing, unconfigured, empty } = LISTS[source];
  if (status.state === 'ok') return isEmpty ? [empty] : [];
  if (status.state === 'unconfigured') return [`${unconfigured} ${missing}`];
  const rest = status.asOfMs === undefined ? missing : `Outdated: updated ${moment(status.asOfMs)}.`;
  return [`${explainFailure(status.failure).title}. ${rest} Resumes automatically.`];
}

/** What of the lists is missing, stale or unreadable; with no symbol at all, ids do. */
function Notes({ answer: { symbols, sources, unreadable } }: { answer: SymbolsAnswer }) {
  const moment = useMomentWords();
  const isEmpty = symbols.length === 0;
  const rows = unreadable === 1 ? '1 row' : `${groupDigits(String(unreadable))} rows`;
  const notes = [
    ...noteOf('router', sources.router, isEmpty, moment),
    ...noteOf('updates', sources.updates, isEmpty, moment),
    ...(unreadable === 0 ? [] : [`${rows} of the lists can’t be read.`]),
  ];
  if (notes.length === 0) return null;
  return (
    <Alert
      role={isEmpty ? 'alert' : 'status'}
      aria-label="Notes on the directory"
      title={isEmpty && 'No list of symbols'}
    >
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {isEmpty ? (
        <p>
          Ids are enough everywhere: <Link href="/prices">look prices up</Link> by router id or by feed id,
          and put feeds on a <Link href="/feeds">board</Link> by their ids.
        </p>
      ) : null}
    </Alert>
  );
}

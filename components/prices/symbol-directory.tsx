'use client';
import {
  Alert,
  Anchor,
  Badge,
  Box,
  Button,
  Checkbox,
  Group,
  Menu,
  MultiSelect,
  Pagination,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMap } from '@mantine/hooks';
import type { Route } from 'next';
import { useQueryStates } from 'nuqs';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { CopyButton } from '@/components/ui/copy-button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Icon } from '@/components/ui/icons';
import { Choice } from '@/components/ui/inputs';
import { Link } from '@/components/ui/link';
import { LiveControls } from '@/components/ui/live-controls';
import { Muted } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { SERVICE_TERMS } from '@/lib/core/health';
import { countOf, formatScaled, groupDigits } from '@/lib/core/numbers';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatIsoMicros } from '@/lib/core/time';
import { boardOfFeeds, type FeedName, withFeeds } from '@/lib/feeds/board-url';
import { saveBoard, useNamedBoards } from '@/lib/feeds/client/named-boards';
import { feedPagePath } from '@/lib/feeds/page-url';
import {
  type FeedSymbol,
  type SymbolSource,
  type SymbolsAnswer,
  shownSymbols,
  useSymbols,
} from '@/lib/prices/symbols';
import { useLastPrices } from '@/lib/prices/use-last-prices';
import {
  lookupParsers,
  lookupUrl,
  MAX_LOOKED_UP,
  SYMBOL_FACETS,
  type SymbolSort,
  type SymbolsView,
  symbolParsers,
} from '@/lib/prices/view';
import classes from './prices.module.css';

/** Directory of all feeds of the services, with search, filters, and links to a board, a lookup or a chart. */
export function SymbolDirectory() {
  const { answer, failure } = useSymbols();
  return (
    <Stack component="section" gap="sm" aria-labelledby="symbol-directory" className={classes.directory}>
      <Title order={2} id="symbol-directory" className="sr-only">
        Symbol directory
      </Title>
      {answer && <Notes answer={answer} />}
      {failure && !answer ? (
        <Alert title="Symbol list unavailable">{explainFailure(failure).title}. Resumes automatically.</Alert>
      ) : null}
      {answer || failure ? null : <Text role="status">Loading the directory…</Text>}
      {answer && answer.symbols.length > 0 ? <Directory answer={answer} /> : null}
    </Stack>
  );
}

const keyOf = ({ routerId, feedId }: FeedSymbol) => `${routerId ?? ''}/${feedId ?? ''}`;

/** Link to a lookup by feed id, which both services accept, else by router id. */
const lookupOf = (symbols: readonly FeedSymbol[]) =>
  lookupUrl('/prices', { ids: symbols.flatMap(({ feedId, routerId }) => feedId ?? routerId ?? []) });

const UNKNOWN = 'Unknown';

/** Label of a service's term: `coming_soon` → `Coming soon`, `fx` → `FX`. Names with other characters are kept. */
function wordsOf(word = ''): string {
  if (!/^[a-z_]+$/.test(word)) return word;
  const head = word.length <= 3 ? word : word.charAt(0);
  return head.toUpperCase() + word.slice(head.length).replaceAll('_', ' ');
}

const ROWS_OF_PAGE = 50;
/** Replaces lone surrogates, which a URL can't hold. */
const wellFormed = (text: string) => text.replaceAll(/[\ud800-\udfff]/gu, '\ufffd');
/** Longest search text; symbols and ids are shorter. */
const MAX_FIND_CHARACTERS = 100;
const ALL = { find: '', class: [], state: [], channel: [] };

function Directory({ answer }: { answer: SymbolsAnswer }) {
  const [view, setView] = useQueryStates(symbolParsers, { history: 'push' });
  const picked = useMap<string, FeedSymbol>();
  // Deferred: typed text appears at once, the rows when the browser is idle.
  const drawn = useDeferredValue(view);
  const { symbols, counts } = useMemo(() => shownSymbols(answer.symbols, drawn), [answer.symbols, drawn]);
  const toggle = (feed: FeedSymbol) => picked.delete(keyOf(feed)) || picked.set(keyOf(feed), feed);
  const chosen = symbols.filter((feed) => picked.has(keyOf(feed))).length;
  const all = `${groupDigits(answer.symbols.length)} symbols`;
  const show = (change: Partial<SymbolsView>, history: 'push' | 'replace' = 'push') =>
    void setView(change, { history });
  const selectAll = (
    <Checkbox
      aria-label="Select all symbols found"
      title="Select all symbols found"
      disabled={symbols.length === 0}
      checked={chosen > 0 && chosen === symbols.length}
      indeterminate={chosen > 0 && chosen < symbols.length}
      onChange={({ currentTarget: { checked } }) => {
        for (const feed of symbols) {
          if (checked) picked.set(keyOf(feed), feed);
          else picked.delete(keyOf(feed));
        }
      }}
    />
  );
  return (
    <>
      <LiveControls>
        <Tools view={view} counts={counts} show={show} />
      </LiveControls>
      <Group mih="1.75rem" className={classes.bulk}>
        {/* On a phone the table has no head for it. */}
        <Box hiddenFrom="sm">{selectAll}</Box>
        <Muted role="status">
          {symbols.length === answer.symbols.length ? all : `${groupDigits(symbols.length)} of ${all}`}
        </Muted>
        {picked.size === 0 ? null : <Picks picked={[...picked.values()]} onClear={() => picked.clear()} />}
      </Group>
      {symbols.length === 0 ? (
        <Group>
          <Text>No results</Text>
          <Button onClick={() => show(ALL)}>Show all symbols</Button>
        </Group>
      ) : (
        <Rows
          key={JSON.stringify(drawn)}
          symbols={symbols}
          picked={picked}
          selectAll={selectAll}
          hasRouter={answer.sources.router.state === 'ok'}
          onToggle={toggle}
        />
      )}
    </>
  );
}

const NAMES: Record<SymbolSort, string> = {
  best: 'Best match',
  symbol: 'Symbol',
  class: 'Asset class',
  state: 'State',
  channel: 'Minimum channel',
  router: 'Router id',
};

const SORTS = Object.fromEntries(
  Object.entries(NAMES).map(([sort, name]) => [sort, `Sort: ${name.toLowerCase()}`]),
) as Record<SymbolSort, string>;

type ToolsProps = {
  view: SymbolsView;
  counts: ReturnType<typeof shownSymbols>['counts'];
  show: (change: Partial<SymbolsView>, history?: 'push' | 'replace') => void;
};

function Tools({ view, counts, show }: ToolsProps) {
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
      {SYMBOL_FACETS.map((facet) => (
        <MultiSelect
          key={facet}
          size="xs"
          flex="1 1 8.5rem"
          miw={0}
          maw={{ sm: '15rem' }}
          role="combobox"
          aria-label={NAMES[facet]}
          placeholder={view[facet].length === 0 ? NAMES[facet] : ''}
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
      <Choice
        aria-label="Sort"
        names={view.find === '' ? { ...SORTS, best: 'Sort: as listed' } : SORTS}
        value={view.sort}
        onChoose={(sort) => show({ sort })}
      />
    </Group>
  );
}

function Picks({ picked, onClear }: { picked: readonly FeedSymbol[]; onClear: () => void }) {
  return (
    <Group component="fieldset" bd={0} p={0} m={0} gap="sm" aria-label="Selected symbols">
      <span>{groupDigits(picked.length)} selected</span>
      {picked.length > MAX_LOOKED_UP ? (
        <Muted>Up to {MAX_LOOKED_UP} per lookup</Muted>
      ) : (
        <Anchor component={Link} href={lookupOf(picked)}>
          Look up
        </Anchor>
      )}
      <AddToBoard symbols={picked} of="selected symbols" />
      <Button onClick={onClear}>Clear</Button>
    </Group>
  );
}

type RowsProps = {
  symbols: readonly FeedSymbol[];
  picked: ReadonlyMap<string, FeedSymbol>;
  selectAll: ReactNode;
  /** Whether the router can be asked for prices. */
  hasRouter: boolean;
  onToggle: (feed: FeedSymbol) => void;
};

/** Whether a symbol has live prices, by its state at the router: one that is inactive or to come has none to chart. */
const isPublished = ({ state }: FeedSymbol) => state !== 'inactive' && state !== 'coming_soon';

/** Symbol, clipped since a service may send a text of any length. */
const nameOf = ({ symbol }: FeedSymbol) => clipped(symbol, 80);

function Rows({ symbols, picked, selectAll, hasRouter, onToggle }: RowsProps) {
  const [page, setPage] = useState(1);
  const from = (page - 1) * ROWS_OF_PAGE;
  const pages = Math.ceil(symbols.length / ROWS_OF_PAGE);
  const rows = symbols.slice(from, from + ROWS_OF_PAGE);
  const { prices, asOfMs } = useLastPrices(hasRouter ? rows.filter(isPublished) : []);
  const moment = useMomentWords();
  const columns: Column<FeedSymbol>[] = [
    {
      name: 'Selected',
      kind: 'unnamed',
      head: selectAll,
      cell: (feed) => (
        <Checkbox
          aria-label={`Select ${nameOf(feed)}`}
          checked={picked.has(keyOf(feed))}
          onChange={() => onToggle(feed)}
        />
      ),
    },
    {
      name: 'Symbol',
      kind: 'head',
      cell: (feed) => (
        <>
          <bdi>{nameOf(feed)}</bdi>
          <Muted component="bdi" size="xs" className={classes.nameBelow}>
            {clipped(feed.description || feed.name, 80)}
          </Muted>
        </>
      ),
    },
    {
      name: 'Name',
      cell: (feed) => <Muted component="bdi">{clipped(feed.description || feed.name, 80)}</Muted>,
    },
    {
      name: 'Last price',
      kind: 'figure',
      cell: ({ routerId = '' }) => {
        const { price, publishUs } = prices.get(routerId) ?? {};
        if (price === undefined)
          return (
            <span className={classes.soft} title="No price from the router">
              —
            </span>
          );
        const published = publishUs === undefined ? '' : `Published ${formatIsoMicros(publishUs)}`;
        return <span title={published}>{formatScaled(price, { groupSeparator: ',' })}</span>;
      },
    },
    { name: 'Class', cell: ({ assetType }) => shown(wordsOf(assetType)) },
    {
      name: 'State',
      cell: ({ state }) =>
        state ? (
          <Badge color={state === 'stable' ? 'good' : 'warn'} miw="max-content">
            <bdi>{clipped(wordsOf(state), 24)}</bdi>
          </Badge>
        ) : (
          shown()
        ),
    },
    { name: 'Minimum channel', cell: ({ minChannel }) => shown(wordsOf(minChannel)) },
    {
      name: 'Router id',
      cell: (feed) => <Id id={feed.routerId} what={`router id of ${nameOf(feed)}`} service="router" />,
    },
    {
      name: 'Feed id',
      cell: (feed) => (
        <Id id={feed.feedId} what={`feed id of ${nameOf(feed)}`} service="price update service" />
      ),
    },
    {
      name: 'Actions',
      kind: 'unnamed',
      cell: (feed) => (
        <Group gap="sm" wrap="nowrap">
          <Link href={lookupOf([feed])} aria-label={`Look up ${nameOf(feed)}`}>
            Look up
          </Link>
          {feed.feedId === undefined || !isPublished(feed) ? null : (
            <Link href={feedPagePath(feed.feedId) as Route} aria-label={`Open the chart of ${nameOf(feed)}`}>
              Chart
            </Link>
          )}
          <AddToBoard symbols={[feed]} of={nameOf(feed)} />
        </Group>
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="Symbols"
        variant="text"
        miw={900}
        mah="100%"
        hasCards
        className={classes.symbols}
        aria-rowcount={symbols.length + 1}
        columns={columns}
        rows={rows}
        onRow={onToggle}
        rowProps={(feed, at) => ({ key: keyOf(feed), 'aria-rowindex': from + at + 2 })}
      />
      {pages < 2 && asOfMs === undefined ? null : (
        <Group gap="sm">
          {pages < 2 ? null : (
            <>
              <Pagination
                size="sm"
                total={pages}
                value={page}
                onChange={setPage}
                aria-label="Pages of symbols"
                getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
                getControlProps={(control) => ({ 'aria-label': `${control} page` })}
              />
              <Muted className="num">
                {groupDigits(from + 1)}–{groupDigits(from + rows.length)} of {groupDigits(symbols.length)}
              </Muted>
            </>
          )}
          {asOfMs === undefined ? null : (
            <Muted size="xs" ml="auto" className="num">
              Last prices: router, {lookupParsers.channel.defaultValue}, as of {moment(asOfMs)}
            </Muted>
          )}
        </Group>
      )}
    </>
  );
}

const shown = (text = '') =>
  text === '' ? <span className={classes.soft}>{UNKNOWN}</span> : <bdi>{clipped(text, 24)}</bdi>;

/** Id, or a dash that names the service without it. @param service that would list it */
function Id({ id, what, service }: { id: string | undefined; what: string; service: string }) {
  if (id === undefined) return <span title={`Not listed by the ${service}`}>—</span>;
  return (
    <Group gap={2} wrap="nowrap">
      <code title={id}>{id.length > 16 ? shortenHex(`0x${id}`) : id}</code>
      <CopyButton value={id} label={`Copy the ${what}`} />
    </Group>
  );
}

/** Data that is missing without a service's list. */
const MISSING: Record<SymbolSource, string> = {
  router: 'Missing data: router ids, minimum channels, states.',
  updates: 'Missing data: feeds that only this service lists.',
};

function Notes({ answer: { symbols, sources, unreadable } }: { answer: SymbolsAnswer }) {
  const moment = useMomentWords();
  const isEmpty = symbols.length === 0;
  /** Notes about a service's list. */
  const noteOf = (source: SymbolSource) => {
    const status = sources[source];
    const { name, url } = SERVICE_TERMS[source];
    if (status.state === 'ok') return isEmpty ? [`${name}: empty list.`] : [];
    if (status.state === 'unconfigured') return [`${name} not configured (${url}). ${MISSING[source]}`];
    const rest = status.asOfMs === undefined ? MISSING[source] : `Stale since ${moment(status.asOfMs)}.`;
    return [`${explainFailure(status.failure).title}. ${rest} Resumes automatically.`];
  };
  const notes = [
    ...noteOf('router'),
    ...noteOf('updates'),
    ...(unreadable === 0 ? [] : [countOf(unreadable, 'unreadable row')]),
  ];
  if (notes.length === 0) return null;
  return (
    <Alert
      role={isEmpty ? 'alert' : 'status'}
      aria-label="Directory status"
      title={isEmpty && 'Symbol list unavailable'}
    >
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {isEmpty ? (
        <p>
          Ids still work: <Link href="/prices">look up prices</Link> by router id or feed id, or add feeds to
          a <Link href="/feeds">board</Link>.
        </p>
      ) : null}
    </Alert>
  );
}

/** Adds symbols to a board of this browser, or opens them as a new one. @param of makes the button's label unique */
function AddToBoard({ symbols, of }: { symbols: readonly FeedSymbol[]; of: string }) {
  const boards = useNamedBoards();
  // Feeds known to the router alone have no live prices.
  const feeds = symbols
    .filter(isPublished)
    .flatMap(({ feedId, symbol }): Pick<FeedName, 'id' | 'symbol'>[] =>
      feedId === undefined ? [] : [{ id: feedId, symbol }],
    );
  if (feeds.length === 0) return null;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Anchor component="button" inherit underline="always" aria-label={`Add to board: ${of}`}>
          Add to board
        </Anchor>
      </Menu.Target>
      <Menu.Dropdown>
        {boards.map(({ name, url }) => {
          const next = withFeeds(url, feeds);
          const says = next === undefined ? ' (default board)' : next === url ? ' (added)' : '';
          return (
            <Menu.Item
              key={name}
              disabled={says !== ''}
              onClick={() => announce(saveBoard(name, next ?? url) ?? `Added to “${name}”`)}
            >
              <bdi>{name}</bdi>
              {says}
            </Menu.Item>
          );
        })}
        <Menu.Item component={Link} href={boardOfFeeds(feeds.map(({ id }) => id))}>
          Open as new board
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

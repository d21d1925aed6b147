'use client';
import {
  Alert,
  Button,
  Checkbox,
  Fieldset,
  Group,
  Paper,
  Pill,
  Popover,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { useQueryStates } from 'nuqs';
import { useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Choice, DraftInput, Segments } from '@/components/ui/inputs';
import { LiveControls } from '@/components/ui/live-controls';
import { saveFile } from '@/components/ui/save-file';
import { Muted } from '@/components/ui/text';
import { POPOVER } from '@/components/ui/theme';
import { useMomentWords, useTimeStyle } from '@/components/ui/time-style';
import { UrlProblems } from '@/components/ui/url-problems';
import { countOf } from '@/lib/core/numbers';
import { stripWrapping, visibleText } from '@/lib/core/pasted';
import { CHANNELS } from '@/lib/core/router-price';
import { clipped, shortenHex, type UrlProblem } from '@/lib/core/text';
import { formatIsoMicros, formatIsoSeconds, millisToSeconds, secondsToMicros } from '@/lib/core/time';
import { inputZone, momentFieldText, typedMoment } from '@/lib/core/time-text';
import { searchFeeds } from '@/lib/feeds/client/directory';
import { type LookupVerdict, lookupCsv, lookupVerdict, SOURCE_NAMES } from '@/lib/prices/comparison';
import { type LookupQuestion, resolveFeeds } from '@/lib/prices/lookup';
import { type FeedSymbol, useSymbols } from '@/lib/prices/symbols';
import { useLookup } from '@/lib/prices/use-lookup';
import {
  LOOKUP_SOURCES,
  type LookupView,
  lookupParsers,
  MAX_LOOKED_UP,
  momentOfView,
  parseMoment,
  ROUTER_FORMATS,
  ROUTER_PROPERTIES,
} from '@/lib/prices/view';
import { LookupCurl, LookupJson, SignedPayloads } from './lookup-calls';
import { LookupTable } from './lookup-table';
import classes from './prices.module.css';

type ShownView = LookupView & { ids: string[] };
type FieldProps = { view: ShownView; show: (change: Partial<LookupView>) => void };

/** Longest wait for the symbol directory; then the lookup goes on by ids. */
const MAX_DIRECTORY_WAIT_MS = 3_000;

/** Prices of feeds at one moment, all sources side by side; the query is the URL. @param board ids of the board’s feeds */
export function PriceLookup({ board }: { board: string[] }) {
  const [urlView, setView] = useQueryStates(lookupParsers, { history: 'push' });
  // The default feeds are those of the board.
  const view: ShownView = { ...urlView, ids: urlView.ids ?? board };
  const show: FieldProps['show'] = (change) => void setView(change);
  const { answer, failure } = useSymbols();
  const [isLate, setLate] = useState(false);
  useTimeout(() => setLate(true), MAX_DIRECTORY_WAIT_MS, { autoInvoke: true });
  const isWaiting = answer === undefined && failure === undefined && !isLate;
  // Only the router's directory maps router ids to feed ids.
  const router = answer?.sources.router;
  const isKnown = router !== undefined && router.state !== 'unconfigured' && router.asOfMs !== undefined;
  const directory = isKnown ? 'known' : 'missing';
  const symbols = answer?.symbols ?? [];
  const at = momentOfView(view.at);
  const { ids, at: _at, mode: _mode, figures: _figures, ...options } = view;
  const { feeds, unknown } = resolveFeeds(ids, symbols);
  const wanted = options.sources.length === 0 ? lookupParsers.sources.defaultValue : options.sources;
  const question: LookupQuestion = {
    feeds: feeds.slice(0, MAX_LOOKED_UP),
    at: at ?? 'now',
    options: { ...options, sources: LOOKUP_SOURCES.filter((source) => wanted.includes(source)) },
    directory,
  };
  const isRequested = !isWaiting && at !== undefined && question.feeds.length > 0;
  return (
    <>
      <LiveControls>
        <Paper component="section" withBorder p="sm" aria-label="What to look up">
          <Stack gap="sm">
            <FeedField view={view} show={show} symbols={symbols} />
            <Group gap="var(--ks-gap-sm) var(--ks-gap-lg)">
              <MomentField view={view} show={show} />
              <Options view={view} show={show} />
            </Group>
          </Stack>
        </Paper>
      </LiveControls>
      {isWaiting ? null : <UrlProblems problems={problemsOf(unknown, view.at ?? '', directory)} />}
      {isRequested ? <Result question={question} view={view} show={show} /> : null}
      {view.ids.length === 0 ? (
        <Muted maw="40rem">
          Select feeds to compare both price update hosts and the router at the same time. Prices further
          apart than their confidence are marked.
        </Muted>
      ) : null}
    </>
  );
}

/** Parts of the URL that name no feed or no moment. */
function problemsOf(unknown: readonly string[], at: string, directory: LookupQuestion['directory']) {
  const reason =
    directory === 'known' ? 'No feed, or several, of this name.' : 'Symbol directory unavailable. Use ids.';
  const problems: UrlProblem[] = unknown.map((value) => ({ param: 'ids', value, message: reason }));
  const more = /[,/](.*)$/.exec(at)?.[1];
  if (momentOfView(at) === undefined) {
    problems.push({ param: 'at', value: at, message: 'Use 2026-11-20T12:00:00Z or unix seconds.' });
  } else if (more !== undefined) problems.push({ param: 'at', value: more, message: 'One time per lookup.' });
  return problems;
}

/** Most matches listed; typing more narrows them. */
const MAX_LISTED = 50;

function FeedField({ view, show, symbols }: FieldProps & { symbols: readonly FeedSymbol[] }) {
  const [search, setSearch] = useState('');
  // Feeds found in the directory are written to the URL by the id that most sources accept.
  const found = searchFeeds(symbols, search)
    .slice(0, MAX_LISTED)
    .map(({ feedId, routerId, symbol }) => ({
      value: feedId ?? routerId ?? symbol,
      label: clipped(symbol, 60),
      hint: routerId === undefined ? 'no router id' : `router ${clipped(routerId, 20)}`,
    }));
  const nameOf = (text: string) => {
    const symbol = resolveFeeds([text], symbols).feeds[0]?.symbol ?? text;
    return clipped(symbol.length === 64 ? shortenHex(`0x${symbol}`) : symbol, 40);
  };
  const labels = new Map(found.map((one) => [one.value, one]));
  return (
    <TagsInput
      role="combobox"
      aria-label="Add a feed"
      placeholder={view.ids.length === 0 ? 'Symbol, router id or feed id' : ''}
      // The list closes once a feed is chosen.
      data={search === '' && view.ids.length > 0 ? [] : found}
      value={view.ids}
      onChange={(ids) => show({ ids: ids.map((id) => stripWrapping(visibleText(id))).filter(Boolean) })}
      searchValue={search}
      onSearchChange={setSearch}
      filter={({ options }) => options}
      selectFirstOptionOnChange={search !== ''}
      splitChars={[',', ';', '\n', '\t']}
      maxTags={MAX_LOOKED_UP}
      acceptValueOnBlur={false}
      clearable
      clearButtonProps={{ 'aria-label': 'Clear feeds' }}
      renderPill={({ value = '', onRemove }) => (
        <Pill
          withRemoveButton
          onRemove={onRemove}
          removeButtonProps={{ 'aria-label': `Remove ${nameOf(value)}` }}
        >
          <bdi>{nameOf(value)}</bdi>
        </Pill>
      )}
      renderOption={({ option }) => (
        <Group justify="space-between" w="100%" wrap="nowrap">
          <bdi>{labels.get(option.value)?.label}</bdi>
          <Muted size="xs">{labels.get(option.value)?.hint}</Muted>
        </Group>
      )}
    />
  );
}

/** Age from which a moment is settled: services have prices of a second only some seconds later. */
const SETTLED_MS = 10_000;

const justNow = () => formatIsoMicros(secondsToMicros(millisToSeconds(Date.now() - SETTLED_MS)));

/** Field for "now" or a moment to the microsecond; applied on Enter or blur. */
function MomentField({ view, show }: FieldProps) {
  const style = useTimeStyle();
  const at = momentOfView(view.at);
  const shown =
    at === 'now' ? '' : at === undefined ? (view.at ?? '') : momentFieldText(formatIsoMicros(at), style);
  const read = (text: string) =>
    parseMoment(/^\d+(\.\d+)?$/.test(text) ? text : (typedMoment(text, style) ?? ''));
  return (
    <Group gap="sm" align="flex-start">
      <Segments
        aria-label="Moment"
        names={{ now: 'Now', at: 'At time' }}
        value={at === 'now' ? 'now' : 'at'}
        onChoose={(chosen) => show({ at: chosen === 'now' ? null : justNow() })}
      />
      {at === 'now' ? null : (
        <DraftInput
          aria-label="Time"
          w="17rem"
          description={`ISO time (${inputZone(style).replaceAll('_', ' ')}) or unix seconds`}
          inputWrapperOrder={['input', 'description', 'error']}
          value={shown}
          problemOf={(text) =>
            read(text) === undefined ? 'Use 2026-11-20T12:00:00Z or unix seconds' : undefined
          }
          onApply={(text) => {
            const us = read(text);
            if (us !== undefined) show({ at: formatIsoMicros(us) });
          }}
        />
      )}
    </Group>
  );
}

const FLAGS = {
  parsed: 'Parsed form',
  ignore_invalid_price_ids: 'Skip unknown feeds',
  verbose: 'Verbose',
  binary: 'Signed payload',
} as const;

function Options({ view, show }: FieldProps) {
  const flag = (name: keyof typeof FLAGS) => (
    <Checkbox
      label={FLAGS[name]}
      title={name}
      checked={view[name]}
      onChange={(event) => show({ [name]: event.currentTarget.checked })}
    />
  );
  const names = (name: 'properties' | 'formats', data: string[]) => (
    <TagsInput
      size="xs"
      label={`Router ${name}`}
      data={data}
      value={view[name]}
      onChange={(value) => show({ [name]: value })}
      comboboxProps={{ withinPortal: false }}
      clearable
    />
  );
  return (
    <>
      <Checkbox.Group
        aria-label="Sources"
        value={view.sources}
        // At least one source stays chosen.
        onChange={(chosen) => {
          const sources = LOOKUP_SOURCES.filter((source) => chosen.includes(source));
          if (sources.length > 0) show({ sources });
        }}
      >
        <Group gap="0 var(--ks-gap-lg)">
          {LOOKUP_SOURCES.map((source) => {
            const { name, hint } = SOURCE_NAMES[source];
            return <Checkbox key={source} value={source} label={`${name} ${hint && `(${hint})`}`} />;
          })}
        </Group>
      </Checkbox.Group>
      <Choice
        aria-label="Router channel"
        names={CHANNELS}
        value={view.channel}
        onChoose={(channel) => show({ channel })}
      />
      <Popover {...POPOVER} width="min(26rem, calc(100vw - 2rem))">
        <Popover.Target>
          <Button>Parameters</Button>
        </Popover.Target>
        <Popover.Dropdown>
          <Stack gap="sm">
            <Fieldset legend="Update services">
              <Stack gap="xs">
                <Choice
                  label="Encoding"
                  names={['hex', 'base64']}
                  value={view.encoding}
                  onChoose={(encoding) => show({ encoding })}
                />
                {flag('parsed')}
                {flag('ignore_invalid_price_ids')}
              </Stack>
            </Fieldset>
            <Fieldset legend="Deprecated route">
              <Group>
                {flag('verbose')}
                {flag('binary')}
              </Group>
            </Fieldset>
            {names('properties', ROUTER_PROPERTIES)}
            {names('formats', ROUTER_FORMATS)}
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </>
  );
}

const MODES = { table: 'Table', json: 'JSON', curl: 'curl' };
const FIGURES = { differing: 'Differences', all: 'All figures' };

function Result({ question, view, show }: FieldProps & { question: LookupQuestion }) {
  const { rows, published, answered, isLoading, pauses, again } = useLookup(question);
  const nowMs = useNow();
  const isCompared = question.options.sources.length > 1;
  const moment = useMomentWords();
  const receivedMs = rows.flatMap(({ cells }) =>
    cells.map(({ cell }) => (cell.kind === 'quote' ? cell.quote.receivedMs : 0)),
  );
  const lastMs = Math.max(0, ...receivedMs);
  const done = [
    countOf(rows.length, 'feed'),
    countOf(answered.length, 'call'),
    ...(lastMs === 0 ? [] : [`answered ${moment(lastMs)}`]),
  ].join(' · ');
  return (
    <Stack component="section" gap="sm" aria-label="Result">
      {isCompared ? <Verdict verdict={lookupVerdict(rows)} /> : null}
      <Group data-phase={isLoading ? 'running' : 'ended'}>
        <Segments aria-label="Shown as" names={MODES} value={view.mode} onChoose={(mode) => show({ mode })} />
        {view.mode === 'table' && isCompared ? (
          <Segments
            aria-label="Figures"
            names={FIGURES}
            value={view.figures}
            onChoose={(figures) => show({ figures })}
          />
        ) : null}
        <Muted role="status" flex={1}>
          {isLoading ? 'Loading…' : done}
        </Muted>
        {pauses.map(({ source, untilMs }) => (
          <Text key={source} size="sm" c="var(--ks-warn)" className="num">
            {SOURCE_NAMES[source].name} is rate-limited: retry in{' '}
            {Math.max(0, Math.ceil((untilMs - nowMs) / 1000))} s
          </Text>
        ))}
        <Group ml="auto">
          <Button disabled={isLoading} onClick={again}>
            Refresh
          </Button>
          <Button disabled={answered.length === 0} onClick={() => saveCsv(lookupCsv(rows, !isLoading))}>
            Export CSV
          </Button>
        </Group>
      </Group>
      {view.mode === 'table' ? (
        <>
          <LookupTable
            rows={rows}
            sources={question.options.sources}
            answered={answered}
            channel={view.channel}
            hasAll={!isCompared || view.figures === 'all'}
          />
          {/* Shown after loading, since rows that still grow would move it. */}
          {isLoading && pauses.length === 0 ? null : (
            <>
              <Muted size="xs" maw="70rem">
                Below each price: its publish time and, in brackets, the offset from the requested time, or
                from the time of the answer. Differences are from the first column with a price, in basis
                points. Update services return the first update at or after the second, the router the one
                that was current.
              </Muted>
              <SignedPayloads answered={answered} />
            </>
          )}
        </>
      ) : null}
      {view.mode === 'json' ? <LookupJson answered={answered} /> : null}
      {view.mode === 'curl' ? <LookupCurl question={question} published={published} /> : null}
    </Stack>
  );
}

const VERDICT_ICONS = { good: 'check', bad: 'alert', warn: 'question' } as const;

/** Whether the sources agree, over all feeds. It has its height before the answers. */
function Verdict({ verdict }: { verdict: LookupVerdict | undefined }) {
  const { tone, title, text } = verdict ?? { title: 'Comparing…', text: '' };
  return (
    <Alert
      role="status"
      aria-label="Agreement"
      color={tone ?? 'idle'}
      icon={<Icon name={tone ? VERDICT_ICONS[tone] : 'dotted'} />}
      className={classes.verdict}
    >
      <strong>{title}</strong> {text}
    </Alert>
  );
}

/** Saves `prices-20261120T080503Z.csv`, a name that every file system accepts. */
function saveCsv(text: string): void {
  const now = formatIsoSeconds(Date.now()).replaceAll(/[^0-9TZ]/g, '');
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `prices-${now}.csv`);
}

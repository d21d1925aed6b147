'use client';
import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useDisclosure, useTimeout } from '@mantine/hooks';
import { useQueryStates } from 'nuqs';
import { useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Segments } from '@/components/ui/inputs';
import { LiveControls } from '@/components/ui/live-controls';
import { saveFile } from '@/components/ui/save-file';
import { Muted } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import { UrlProblems } from '@/components/ui/url-problems';
import { countOf } from '@/lib/core/numbers';
import { clipped, type UrlProblem } from '@/lib/core/text';
import { formatIsoSeconds } from '@/lib/core/time';
import { useLookup } from '@/lib/prices/client/use-lookup';
import { useSymbols } from '@/lib/prices/client/use-symbols';
import { type LookupVerdict, lookupCsv, lookupVerdict, SOURCE_NAMES } from '@/lib/prices/comparison';
import { howToRead, type LookupRequest, resolveLookupFeeds } from '@/lib/prices/lookup';
import { LOOKUP_SOURCES, lookupParsers, MAX_LOOKED_UP, momentOfView } from '@/lib/prices/view';
import { LookupCurl, LookupJson, SignedPayloads } from './lookup-calls';
import { FeedField, type LookupFieldProps, MomentField, Options, type ShownView } from './lookup-fields';
import { LookupTable } from './lookup-table';
import classes from './prices.module.css';

/** Longest wait for the directory. After it, the lookup continues with ids. */
const MAX_DIRECTORY_WAIT_MS = 3_000;

/** All sources side by side. The query is the URL. `board` has the ids of the board’s feeds. */
export function PriceLookup({ board }: { board: string[] }) {
  const [urlView, setView] = useQueryStates(lookupParsers, { history: 'push' });
  const view: ShownView = { ...urlView, ids: urlView.ids ?? board };
  const show: LookupFieldProps['show'] = (change) => void setView(change);
  const { answer, failure } = useSymbols();
  const [isOpen, { toggle }] = useDisclosure();
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
  const { feeds, unknown } = resolveLookupFeeds(ids, symbols);
  const wanted = options.sources.length === 0 ? lookupParsers.sources.defaultValue : options.sources;
  const request: LookupRequest = {
    feeds: feeds.slice(0, MAX_LOOKED_UP),
    at: at ?? 'now',
    options: { ...options, sources: LOOKUP_SOURCES.filter((source) => wanted.includes(source)) },
    directory,
  };
  const cut = feeds.slice(MAX_LOOKED_UP).map(
    ({ symbol }): UrlProblem => ({
      param: 'ids',
      value: symbol,
      message: `At most ${MAX_LOOKED_UP} feeds are looked up at once.`,
    }),
  );
  const isRequested = !isWaiting && at !== undefined && request.feeds.length > 0;
  return (
    <>
      <LiveControls>
        <Paper component="section" withBorder p={{ base: 'xs', sm: 'sm' }} aria-label="What to look up">
          {/* On a phone the form is folded, so that the first screen has prices. */}
          <Group hiddenFrom="sm" gap="sm" justify="space-between" wrap="nowrap">
            <Text truncate size="sm">
              {formText(view, request.options.sources.length)}
            </Text>
            <Button flex="none" aria-expanded={isOpen} onClick={toggle}>
              {isOpen ? 'Close' : 'Change'}
            </Button>
          </Group>
          <Stack gap="sm" className={classes.form} data-open={isOpen || view.ids.length === 0 || undefined}>
            <FeedField view={view} show={show} symbols={symbols} />
            <Group gap="var(--ks-gap-sm) var(--ks-gap-lg)">
              <MomentField view={view} show={show} />
              <Options view={view} show={show} />
            </Group>
          </Stack>
        </Paper>
      </LiveControls>
      {isWaiting ? null : (
        <UrlProblems problems={[...problemsOf(unknown, view.at ?? '', directory), ...cut]} />
      )}
      {isRequested ? (
        <Result request={request} leftOut={unknown.length + cut.length} view={view} show={show} />
      ) : null}
      {view.ids.length === 0 ? (
        <Muted maw="40rem">
          Select feeds to compare both price update hosts and the router at the same time. Prices further
          apart than their confidence are marked.
        </Muted>
      ) : null}
    </>
  );
}

/** `7 feeds now, 3 sources`: the folded form. */
function formText({ ids, at }: ShownView, sources: number): string {
  const moment = momentOfView(at) === 'now' ? 'now' : clipped(at ?? '', 30);
  return `${countOf(ids.length, 'feed')} ${moment}, ${countOf(sources, 'source')}`;
}

function problemsOf(unknown: readonly string[], at: string, directory: LookupRequest['directory']) {
  const reason =
    directory === 'known' ? 'No feed, or several, of this name.' : 'Symbol directory unavailable. Use ids.';
  const problems: UrlProblem[] = unknown.map((value) => ({ param: 'ids', value, message: reason }));
  const fraction = /[,/](.*)$/.exec(at)?.[1];
  if (momentOfView(at) === undefined) {
    problems.push({ param: 'at', value: at, message: 'Use 2026-11-20T12:00:00Z or unix seconds.' });
  } else if (fraction !== undefined)
    problems.push({ param: 'at', value: fraction, message: 'One time per lookup.' });
  return problems;
}

const MODES = { table: 'Table', json: 'JSON', curl: 'curl' };
const FIGURES = { differing: 'Differences', all: 'All figures' };

/** `leftOut`: number of feeds of the link that are not requested. */
type ResultProps = LookupFieldProps & { request: LookupRequest; leftOut: number };

function Result({ request, leftOut, view, show }: ResultProps) {
  const lookup = useLookup(request);
  const { rows, published, answered, isLoading, pauses } = lookup;
  const isCompared = request.options.sources.length > 1;
  return (
    <Stack component="section" gap="sm" aria-label="Result">
      {isCompared ? <Verdict verdict={lookupVerdict(rows)} /> : null}
      <ResultBar lookup={lookup} leftOut={leftOut} isCompared={isCompared} view={view} show={show} />
      {view.mode === 'table' ? (
        <>
          <LookupTable
            rows={rows}
            sources={request.options.sources}
            answered={answered}
            channel={view.channel}
            hasAll={!isCompared || view.figures === 'all'}
          />
          {/* Shown after loading, because it would move while rows are added. */}
          {isLoading && pauses.length === 0 ? null : (
            <>
              <HowToRead request={request} />
              <SignedPayloads answered={answered} />
            </>
          )}
        </>
      ) : null}
      {view.mode === 'json' ? <LookupJson answered={answered} /> : null}
      {view.mode === 'curl' ? <LookupCurl request={request} published={published} /> : null}
    </Stack>
  );
}

type BarProps = Omit<ResultProps, 'request'> & {
  lookup: ReturnType<typeof useLookup>;
  isCompared: boolean;
};

function ResultBar({ lookup, leftOut, isCompared, view, show }: BarProps) {
  const { rows, answered, isLoading, pauses, again } = lookup;
  const nowMs = useNow();
  const moment = useMomentWords();
  const receivedMs = rows.flatMap(({ cells }) =>
    cells.map(({ cell }) => (cell.kind === 'quote' ? cell.quote.receivedMs : 0)),
  );
  const lastMs = Math.max(0, ...receivedMs);
  const askedMs = Math.max(0, ...answered.map((call) => call.receivedMs));
  const done = [
    countOf(rows.length, 'feed'),
    countOf(answered.length, 'call'),
    ...(lastMs === 0 ? [] : [`answered ${moment(lastMs)}`]),
  ].join(' · ');
  return (
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
      <Muted role="status" flex="1 1 16rem">
        {isLoading ? 'Loading…' : done}
      </Muted>
      {pauses.map(({ source, untilMs, isOurLimit }) => (
        <Text key={source} size="sm" c="var(--ks-warn)" className="num">
          {isOurLimit ? 'Dashboard limit reached' : `${SOURCE_NAMES[source].name} is rate-limited`}: retry in{' '}
          {Math.max(0, Math.ceil((untilMs - nowMs) / 1000))} s
        </Text>
      ))}
      <Group ml="auto">
        <Button disabled={isLoading} onClick={again}>
          Refresh
        </Button>
        <Button
          disabled={answered.length === 0}
          onClick={() => saveCsv(lookupCsv(rows, { askedMs, leftOut }))}
        >
          Export CSV
        </Button>
      </Group>
    </Group>
  );
}

function HowToRead({ request: { at, options } }: { request: LookupRequest }) {
  return (
    <Muted size="xs" maw="70rem">
      {howToRead(at, options.sources)}
    </Muted>
  );
}

const VERDICT_ICONS = { good: 'check', bad: 'alert', warn: 'question' } as const;

/** Full height before the answers. */
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

/** `prices-20261120T080503Z.csv`, a name that every file system accepts. */
function saveCsv(text: string): void {
  const fileTime = formatIsoSeconds(Date.now()).replaceAll(/[^0-9TZ]/g, '');
  saveFile(new Blob([text], { type: 'text/csv;charset=utf-8' }), `prices-${fileTime}.csv`);
}

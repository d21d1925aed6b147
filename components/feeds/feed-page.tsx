'use client';
import {
  ActionIcon,
  Alert,
  Button,
  Checkbox,
  Group,
  Progress,
  SegmentedControl,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useCallback, useMemo, useRef, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Segments } from '@/components/ui/inputs';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import { UrlProblems } from '@/components/ui/url-problems';
import { type HistoryStep, pickParams, QueryProvider, useQueryText } from '@/components/ui/use-query-text';
import { distinctName, type FeedReference, feedReferenceText } from '@/lib/core/feed';
import { formatAge, formatSpan } from '@/lib/core/time';
import { boardChoices, type FeedName, type FeedsInitialData } from '@/lib/feeds/board-url';
import type { ChartWindow } from '@/lib/feeds/client/chart';
import { useDayAgo } from '@/lib/feeds/client/day-ago';
import { PAGE_POINTS } from '@/lib/feeds/client/history';
import { FeedPageProvider, useFeed, useFeedPage, useFeedState, useStream } from '@/lib/feeds/client/hooks';
import { pageMoments } from '@/lib/feeds/client/page-drawing';
import type { PastState } from '@/lib/feeds/client/past';
import { usePast } from '@/lib/feeds/client/use-past';
import {
  FEED_PAGE_PARAMS,
  FEED_WINDOWS,
  type FeedPageView,
  formatFeedPageUrl,
  MAX_CHARTED_FEEDS,
  parseFeedPageUrl,
  readSpan,
  spanText,
} from '@/lib/feeds/page-url';
import { AlertButton } from './alerts';
import { SERIES_COLOURS, Swatch } from './chart-legend';
import { ChartPanel } from './chart-panel';
import { DrawingProvider, useDrawing } from './drawing-provider';
import { FeedChooser } from './feed-chooser';
import shared from './feeds.module.css';
import { WindowFigures } from './figure-table';
import {
  copyExact,
  ExactNumber,
  FeedFigure,
  FeedStateBadge,
  Misdated,
  Spread,
  WindowMove,
  windowName,
} from './figures';
import classes from './page.module.css';
import { retryCountdown, StreamStatus } from './stream-status';
import { useNames } from './use-board';

type ShowFeedView = (change: (now: FeedPageView) => FeedPageView, how: HistoryStep) => void;

type FeedPageProps = Omit<FeedsInitialData, 'defaults'> & { feed: FeedReference };

export function FeedPage(props: FeedPageProps) {
  return (
    <QueryProvider canonical={(params) => pickParams(params, FEED_PAGE_PARAMS)}>
      <Page {...props} />
    </QueryProvider>
  );
}

function Page({ feed, ...initial }: FeedPageProps) {
  const text = feedReferenceText(feed);
  const { query, change: changeQuery } = useQueryText(FEED_PAGE_PARAMS);
  const { view, problems } = useMemo(() => parseFeedPageUrl(new URLSearchParams(query)), [query]);
  const show: ShowFeedView = useCallback(
    (change, how) =>
      changeQuery((params) => {
        const url = formatFeedPageUrl(text, change(parseFeedPageUrl(params).view));
        return new URLSearchParams(url.split('?')[1]);
      }, how),
    [text, changeQuery],
  );
  const { compared } = view;
  const { allNames, isWholeNow, isResolvingNames } = useNames(initial);
  const chosen = useMemo(
    () => boardChoices([feed, ...compared], allNames, isWholeNow),
    [feed, compared, allNames, isWholeNow],
  );
  const isSearching = isResolvingNames(chosen);
  const feeds = useMemo(() => chosen.flatMap((choice) => choice.feed ?? []), [chosen]);
  const page = useFeedPage(initial, feeds, PAGE_POINTS);
  const moving = useMovingWindow(view, show);
  const { spanMs, toMs } = moving.window;
  const ids = feeds.map(({ id }) => id);
  const moments = pageMoments(spanMs);
  const past = usePast(page.store, { ids, spanMs, toMs, moments, points: PAGE_POINTS });
  const dayAgo = useDayAgo(page.store, ids, past.kind === 'complete');
  const pageWithDay = useMemo(() => ({ ...page, dayAgo }), [page, dayAgo]);
  const scale = feeds.length < 2 ? 'price' : view.mode;
  const first = chosen[0]?.feed;
  if (first === undefined) return <UnknownFeed text={text} isSearching={isSearching} />;
  const unknown = chosen.filter((choice) => choice.feed === undefined && !isSearching);
  const notFound = unknown.map(({ key }) => ({ param: 'with', value: key, message: 'No such feed.' }));
  return (
    <FeedPageProvider value={pageWithDay}>
      <DrawingProvider
        feeds={feeds}
        window={moving.window}
        scale={scale}
        hasBand={view.band === 'on'}
        isFilled={past.kind === 'complete'}
      >
        <div className={`page ${shared.page}`}>
          <PageHead
            feed={first}
            windowMs={spanMs}
            onLastPrices={(lastMs) => moving.choose({ spanMs, toMs: lastMs })}
          />
          <UrlProblems problems={[...problems, ...notFound]} />
          <ChartPanel
            symbols={feeds.map(({ symbol }) => symbol)}
            window={moving.window}
            onMove={moving.move}
            onEnd={moving.end}
            controls={
              <>
                <SegmentedControl
                  aria-label="Window"
                  data={FEED_WINDOWS.map((value) => ({ value, label: windowName(readSpan(value) ?? 0) }))}
                  value={spanText(spanMs)}
                  onChange={(span) => moving.choose({ spanMs: readSpan(span) ?? spanMs, toMs })}
                />
                <Checkbox
                  label="Confidence band"
                  className={classes.band}
                  checked={view.band === 'on'}
                  onChange={({ currentTarget: { checked } }) =>
                    show((now) => ({ ...now, band: checked ? 'on' : 'off' }), 'push')
                  }
                />
                <CompareBar feeds={feeds} view={view} show={show} />
                <PastNote state={past} />
                {toMs !== undefined && (
                  <Button variant="filled" onClick={() => moving.choose({ spanMs })}>
                    Back to live
                  </Button>
                )}
              </>
            }
          />
        </div>
      </DrawingProvider>
    </FeedPageProvider>
  );
}

const SCALES = { indexed: 'Indexed to 100', axes: 'Two axes' };

/** The window of the URL, or that of a gesture until the URL has been updated. */
function useMovingWindow({ spanMs, toMs }: FeedPageView, show: ShowFeedView) {
  const urlWindow: ChartWindow = { spanMs, toMs };
  const windowKey = JSON.stringify(urlWindow);
  const [moving, setMoving] = useState<{ window: ChartWindow; from: string }>();
  const last = useRef<ChartWindow>(urlWindow);
  const words = useSteadyWords();
  const put = (next: ChartWindow, how: HistoryStep) =>
    show((now) => ({ ...now, spanMs: next.spanMs, toMs: next.toMs }), how);
  return {
    window: moving?.from === windowKey ? moving.window : urlWindow,
    move: (next: ChartWindow) => {
      last.current = next;
      setMoving({ window: next, from: windowKey });
    },
    end: () => {
      const { spanMs: span, toMs: to } = last.current;
      put(last.current, 'replace');
      const until = to === undefined ? 'now, live' : words(to);
      announce(`Chart from ${words((to ?? Date.now()) - span)} to ${until}`);
    },
    choose: (next: ChartWindow) => {
      setMoving(undefined);
      put(next, 'push');
    },
  };
}

function PastNote({ state }: { state: PastState }) {
  const nowMs = useNow();
  const isFailed = state.kind === 'failed';
  return (
    <Text
      component="div"
      flex="1 1 6rem"
      mih="1.25rem"
      size="xs"
      c={isFailed ? 'var(--ks-warn)' : 'dimmed'}
      className={classes.past}
    >
      {state.kind === 'loading' && (
        <Group gap={6} wrap="nowrap" title="Loading history">
          <Progress w={40} value={(100 * state.done) / state.total} aria-label="Loading history" />
          {state.done}/{state.total}
        </Group>
      )}
      {isFailed && (
        <>
          <span role="status">History incomplete: {state.failure.detail}</span>{' '}
          {retryCountdown(state.retryAtMs - nowMs)}
        </>
      )}
    </Text>
  );
}

type CompareProps = {
  feeds: readonly FeedName[];
  view: FeedPageView;
  show: ShowFeedView;
};

function CompareBar({ feeds, view, show }: CompareProps) {
  const [main, ...compared] = feeds;
  const put = (chosen: readonly FeedName[]) => {
    const ids = [...new Set(chosen.map(({ id }) => id))].filter((id) => id !== main?.id);
    const references = ids.slice(0, MAX_CHARTED_FEEDS - 1).map((id): FeedReference => ({ kind: 'id', id }));
    show((now) => ({ ...now, compared: references }), 'push');
  };
  const remove = ({ id }: FeedName) => put(compared.filter((other) => other.id !== id));
  return (
    <>
      {feeds.length < MAX_CHARTED_FEEDS && (
        <FeedChooser
          chosenIds={new Set(feeds.map(({ id }) => id))}
          placeholder="Compare with"
          onAdd={(chosen) => put([...compared, ...chosen])}
          onRemove={remove}
        />
      )}
      {feeds.length > 1 && (
        <>
          <Group component="ul" gap="xs" aria-label="Feeds in the chart">
            {feeds.map((feed, feedIndex) => (
              <Group component="li" key={feed.id} gap={6}>
                <Swatch stroke={SERIES_COLOURS[feedIndex]} />
                <bdi>{feed.symbol}</bdi>
                {feedIndex > 0 && (
                  <ActionIcon aria-label={`Remove ${feed.symbol}`} onClick={() => remove(feed)}>
                    <Icon name="close" size={13} />
                  </ActionIcon>
                )}
              </Group>
            ))}
          </Group>
          <Segments
            aria-label="Scale"
            names={SCALES}
            value={view.mode}
            onChoose={(mode) => show((now) => ({ ...now, mode }), 'push')}
          />
        </>
      )}
    </>
  );
}

type HeadProps = {
  feed: FeedName;
  windowMs: number;
  /** Moves to the last prices before the market closed. */
  onLastPrices: (lastMs: number) => void;
};

function PageHead({ feed, windowMs, onLastPrices }: HeadProps) {
  const { latest: newest, misdated } = useFeed(feed.id);
  const { drawing } = useDrawing();
  // The update that the chart and its tables show: a newer one here would contradict them.
  const drawn = drawing?.feeds.find(({ id }) => id === feed.id);
  const latest = drawn?.latest ?? newest;
  const moveMs = drawing === undefined ? windowMs : drawing.toMs - drawing.fromMs;
  const dated = latest?.misdating === undefined ? latest : undefined;
  const nowMs = useNow() - useStream().skewMs;
  const { state, opensAtMs } = useFeedState(feed);
  const words = useMomentWords();
  return (
    <Stack component="header" gap="xs" className={classes.head} onCopy={copyExact}>
      <Group gap="xs">
        <Link href="/feeds">Feeds</Link>
        <Title order={1} style={{ overflowWrap: 'anywhere' }}>
          <bdi>{feed.symbol}</bdi>
        </Title>
        <FeedStateBadge state={state} current="Live" />
        <Muted component="bdi">{distinctName(feed.symbol, feed.description ?? '')}</Muted>
        <AlertButton feed={feed} hasText />
        {(state === 'closed' || opensAtMs !== undefined) && dated && (
          <Group gap="xs">
            <Muted>
              {state === 'closed' ? 'Last price' : 'Market closed now; last price'}{' '}
              {words(dated.publishTimeS * 1000)}
              {opensAtMs && `, opens in ${formatSpan(opensAtMs - nowMs)} (${words(opensAtMs)})`}
            </Muted>
            <Button onClick={() => onLastPrices((dated.publishTimeS + 1) * 1000)}>Show last prices</Button>
          </Group>
        )}
        <StreamStatus isSilentIfLive />
      </Group>
      {state === 'missing' && (
        <Alert style={{ overflowWrap: 'anywhere' }}>
          Unknown to the price update service. Check the id in the address: <code>{feed.id}</code>
        </Alert>
      )}
      <div className={classes.figures} data-state={state}>
        <dl>
          <FeedFigure
            name="Price"
            more={latest && <WindowMove latest={latest} windowMs={moveMs} nowMs={drawing?.nowMs} hasMore />}
          >
            {latest && <ExactNumber value={latest.price} figure="price" />}
          </FeedFigure>
        </dl>
        <dl>
          <WindowFigures
            drawn={drawn}
            fromMs={drawing?.fromMs ?? 0}
            sampledEveryS={drawing?.sampledEveryS ?? 0}
            window={windowName(moveMs)}
          />
          <Spread latest={latest} hasMore />
          <FeedFigure name="Published" more={dated && `${formatAge(nowMs - dated.publishTimeS * 1000)} ago`}>
            {dated && words(dated.publishTimeS * 1000)}
          </FeedFigure>
          <Misdated misdated={misdated} />
        </dl>
      </div>
    </Stack>
  );
}

function UnknownFeed({ text, isSearching }: { text: string; isSearching: boolean }) {
  return (
    <Stack maw="40rem" mx="auto" my="10vh" p="md">
      <Title order={1}>{isSearching ? 'Searching for the feed…' : 'Unknown feed'}</Title>
      <p>
        <code className="foreign">{text.slice(0, 200)}</code>
      </p>
      {isSearching ? null : <p>Use a symbol, like Crypto.BTC/USD, or an id of 64 hex digits.</p>}
      <Group>
        <Link href="/feeds">All feeds</Link>
      </Group>
    </Stack>
  );
}

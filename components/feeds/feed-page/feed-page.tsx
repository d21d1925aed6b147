'use client';
import { useRef, useState } from 'react';
import { AlertPage } from '@/components/feeds/alert-page';
import { LatencyChart } from '@/components/feeds/latency-chart';
import { StreamStatus } from '@/components/feeds/stream-status';
import type { FeedTimes } from '@/components/feeds/use-currency';
import { useAnnounce } from '@/lib/client/announce';
import type { FeedName } from '@/lib/client/feed-directory';
import { PAGE_HISTORY } from '@/lib/client/feed-history';
import { FeedStoreProvider, useNewFeedStore } from '@/lib/client/feed-hooks';
import type { FeedSeed } from '@/lib/client/feed-watching';
import { type ChartWindow, windowEdges } from '@/lib/client/feed-window';
import { useSteadyWords } from '@/lib/client/time-style';
import type { FeedPageView } from '@/lib/contract/codec/feed-page-url';
import { type FeedReference, feedReferenceText } from '@/lib/contract/codec/feeds-url';
import type { UrlProblem } from '@/lib/domain/url-problem';
import { ChartLegend } from './chart-legend';
import { ChartStage } from './chart-stage';
import { CompareBar } from './compare-bar';
import { distinctFeeds, leftOutNames } from './compared-feeds';
import classes from './feed-page.module.css';
import type { ChartScale } from './page-frame';
import { PageHead } from './page-head';
import { PageProblems, UnknownFeed } from './page-problems';
import { SamplesNote } from './samples-note';
import { SaveChart } from './save-chart';
import { StreamOptions } from './stream-options';
import { UpdatesTable } from './updates-table';
import { type ShowFeedView, useFeedPageView } from './use-feed-page-view';
import { useNamedFeeds } from './use-named-feeds';
import { useOpenCharts } from './use-open-charts';
import { usePageDrawing, useSamplesBook } from './use-page-drawing';
import { WindowBar } from './window-bar';

/** The page of one feed: what it shows stands in its address. */
export function FeedPage({
  feed,
  names,
  seeds,
  times,
}: {
  feed: FeedReference;
  /** Names of feeds as far as the server knew them when it wrote the page. */
  names: readonly FeedName[];
  seeds: readonly FeedSeed[];
  times: FeedTimes;
}) {
  const text = feedReferenceText(feed);
  const { view, problems, show } = useFeedPageView(text);
  const [main, ...others] = useNamedFeeds([feed, ...view.compared], names);
  const compared = others.flatMap((one) => (one.kind === 'feed' ? [one.feed] : []));
  const unknown = others.flatMap((one) => (one.kind === 'unknown' ? [one.text] : []));
  const feeds = main?.kind === 'feed' ? distinctFeeds([main.feed, ...compared]) : [];
  const ids = feeds.map(({ id }) => id);
  const store = useNewFeedStore(seeds, ids, { keeps: PAGE_HISTORY, rate: 'every', options: view.options });
  if (main === undefined || main.kind !== 'feed') {
    return <UnknownFeed text={text} search={main?.kind === 'looking' ? 'going on' : 'over'} />;
  }
  return (
    <FeedStoreProvider value={store}>
      <AlertPage floors={times.floors} feeds={feeds}>
        <Content
          feeds={feeds}
          view={view}
          show={show}
          problems={[...problems, ...unknown.map(unknownProblem)]}
          times={times}
        />
      </AlertPage>
    </FeedStoreProvider>
  );
}

function unknownProblem(text: string): UrlProblem {
  return { param: 'with', value: text, message: 'No feed is called that.' };
}

function Content({
  feeds,
  view,
  show,
  problems,
  times,
}: {
  feeds: readonly FeedName[];
  view: FeedPageView;
  show: ShowFeedView;
  problems: readonly UrlProblem[];
  times: FeedTimes;
}) {
  const place = useRef<HTMLDivElement>(null);
  const book = useSamplesBook();
  const moving = useMovingWindow(view, show);
  const scale: ChartScale = feeds.length < 2 ? 'price' : view.mode;
  useOpenCharts(feeds.map(({ id }) => id));
  const asked = { feeds: feeds.map(({ id, symbol }) => ({ id, symbol })), window: moving.window, scale };
  const drawing = usePageDrawing(place, book, { ...asked, floors: times.floors });
  const [first] = feeds;
  return (
    <div className={classes.page}>
      {first === undefined ? null : <PageHead feed={first} times={times} drawing={drawing} />}
      <StreamStatus writtenAtMs={times.writtenAtMs} />
      <PageProblems problems={problems} />
      <section className={classes.panel} aria-label="Chart">
        <div className={classes.tools}>
          <WindowBar window={moving.window} onChoose={moving.choose} />
          <SamplesNote book={book} writtenAtMs={times.writtenAtMs} />
          <SaveChart feeds={feeds} drawing={drawing} />
        </div>
        <CompareBar
          feeds={feeds}
          leftOut={leftOutNames(feeds, view.mode, drawing?.frame.leftOut)}
          view={view}
          show={show}
        />
        <ChartStage
          place={place}
          feeds={feeds}
          drawing={drawing}
          window={moving.window}
          onMove={moving.move}
          onEnd={moving.end}
        />
        <p id="chart-keys" className={classes.keys}>
          Drag to move through time, wheel or two fingers to zoom. Keys: arrows, + and −, End for live.
        </p>
        {drawing === undefined ? null : <ChartLegend drawing={drawing} />}
        <StreamOptions view={view} show={show} />
      </section>
      {first === undefined ? null : (
        <section className={classes.panel} aria-label="Latency">
          <h2 className={classes.heading}>Latency</h2>
          <LatencyChart id={first.id} symbol={first.symbol} />
        </section>
      )}
      {drawing === undefined ? null : <UpdatesTable feeds={feeds} drawing={drawing} />}
    </div>
  );
}

type Moving = { readonly window: ChartWindow; readonly from: string };

/** The window of the address; while a gesture goes on, that of the gesture, until the address has followed. */
function useMovingWindow(view: FeedPageView, show: ShowFeedView) {
  const said = windowOf(view);
  const from = JSON.stringify(said);
  const [moving, setMoving] = useState<Moving>();
  const last = useRef<ChartWindow>(said);
  const announce = useAnnounce();
  const words = useSteadyWords();
  const window = moving?.from === from ? moving.window : said;
  const put = (next: ChartWindow, how: 'push' | 'replace') => show((now) => withWindow(now, next), how);
  const move = (next: ChartWindow) => {
    last.current = next;
    setMoving({ window: next, from });
  };
  const end = () => {
    put(last.current, 'replace');
    const { fromMs, toMs } = windowEdges(last.current, Date.now());
    announce(`Chart from ${words(fromMs)} to ${last.current.toMs === undefined ? 'now, live' : words(toMs)}`);
  };
  const choose = (next: ChartWindow) => {
    setMoving(undefined);
    put(next, 'push');
  };
  return { window, move, end, choose };
}

function windowOf({ spanMs, toMs }: FeedPageView): ChartWindow {
  return toMs === undefined ? { spanMs } : { spanMs, toMs };
}

function withWindow(view: FeedPageView, { spanMs, toMs }: ChartWindow): FeedPageView {
  return { ...view, spanMs, toMs };
}

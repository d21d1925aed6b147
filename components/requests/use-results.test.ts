import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type RequestsText, viewKeyOf } from '@/lib/requests/load';
import { defaultRequestsView } from '@/lib/requests/view';
import type { Results } from './use-results';

const VIEW = defaultRequestsView();
const ASOF = '2026-11-20T08:00:00.000Z';

const listingText = (rows: readonly string[], asof = ASOF) =>
  JSON.stringify({
    rows: rows.map((row) => ({ keeper: 'main', row: JSON.stringify({ row }) })),
    total: String(rows.length),
    asof,
    clocks: [],
    revision: 1,
    index: [],
  });

const summaryText = (total: number) =>
  JSON.stringify({
    revision: 1,
    total,
    asof: ASOF,
    facets: { network: [], state: [], keeper: [] },
    histogram: { fromMs: 0, toMs: 0, startMs: 0, endMs: 0, bucketMs: 1, buckets: [] },
    figures: {
      completed: 0,
      callbackFailed: 0,
      failed: 0,
      pending: total,
      p50Us: null,
      p95Us: null,
      stuck: 0,
      failureGroups: 0,
    },
  });

type Answer = (response: Response) => void;
let calls: { path: string; answer: Answer }[] = [];
let unmount: () => void = () => undefined;

/** A hook draws nothing, so React needs no more of a document than this. A hidden page has no stream of revisions. */
beforeEach(() => {
  calls = [];
  const target = { addEventListener() {}, removeEventListener() {} };
  vi.stubGlobal('window', { ...target, setTimeout, clearTimeout, HTMLIFrameElement: class {} });
  vi.stubGlobal('document', { ...target, nodeType: 9, hidden: true, activeElement: null });
  vi.stubGlobal('fetch', (path: string) => new Promise((answer) => calls.push({ path, answer })));
});

afterEach(async () => {
  unmount();
  // React ends its scheduled work, which reads `window`.
  await new Promise(setImmediate);
  vi.unstubAllGlobals();
});

type ProbeProps = {
  useResults: typeof import('./use-results').useResults;
  first: RequestsText;
  onRender: (results: Results) => void;
};

function Probe({ useResults, first, onRender }: ProbeProps) {
  onRender(useResults(VIEW, first, false));
  return null;
}

/** Renders the hook with a first answer of the server. @returns the result of the latest render */
async function renderResults(rows: readonly string[]): Promise<() => Results> {
  // The packages look for `window` when they are loaded.
  const [{ createRoot }, { useResults }] = await Promise.all([
    import('react-dom/client'),
    import('./use-results'),
  ]);
  const text = { ok: true, value: listingText(rows) } as const;
  const first = { viewKey: viewKeyOf(VIEW), text, atMs: Date.now() };
  let latestResults: Results | undefined;
  const onRender = (results: Results) => {
    latestResults = results;
  };
  const client = new QueryClient();
  const probe = createElement(Probe, { useResults, first, onRender });
  const container = { ...window, nodeType: 1, tagName: 'DIV', ownerDocument: document };
  const root = createRoot(container as unknown as Element);
  root.render(createElement(QueryClientProvider, { client }, probe));
  unmount = () => {
    root.unmount();
    client.clear();
  };
  return () => latestResults ?? expect.fail('not rendered');
}

const eventually = <T>(check: () => T) => vi.waitFor(check, { timeout: 20_000, interval: 10 });
const answerTo = async (path: string, response: Response) => {
  const call = await eventually(() => calls.find((call) => call.path.startsWith(path)) ?? expect.fail(path));
  calls = calls.filter((other) => other !== call);
  call.answer(response);
  return call.path;
};
const answerRows = (response: Response) => answerTo('/api/view/requests?', response);
const answerCounts = (total: number) =>
  answerTo('/api/view/requests/summary', new Response(summaryText(total)));
const keysOf = (results: Results) => results.page?.rows.map(({ rawJson }) => rawJson);

it('shows the rows of the server at once and fetches only their counts, of the same moment', async () => {
  const results = await renderResults(['a', 'b']);
  const path = await answerCounts(7);
  expect(new URLSearchParams(path.split('?')[1]).get('asof')).toBe(ASOF);
  await eventually(() => expect(results().total).toBe('7'));
  expect(keysOf(results())).toEqual(['{"row":"a"}', '{"row":"b"}']);
  expect(calls).toEqual([]);
});

it('shows refreshed rows only with the counts of their moment', async () => {
  const results = await renderResults(['a', 'b']);
  await answerCounts(2);
  await eventually(() => expect(results().countsAreOutdated).toBe(false));
  void results().refresh();
  await answerRows(new Response(listingText(['a', 'b', 'c'], '2026-11-20T08:00:05.000Z')));
  await eventually(() => expect(calls).toHaveLength(1));
  expect([results().page?.rows.length, results().total]).toEqual([2, '2']);
  await answerCounts(3);
  await eventually(() => expect([results().page?.rows.length, results().total]).toEqual([3, '3']));
});

it('keeps the rows while a refresh fails, with the failure and the time of the next attempt', async () => {
  const results = await renderResults(['a']);
  await answerCounts(1);
  void results().refresh();
  await answerRows(new Response('', { status: 503 }));
  await eventually(() => expect(results().trouble?.retryAtMs).toBeGreaterThan(Date.now()));
  expect(keysOf(results())).toEqual(['{"row":"a"}']);
});

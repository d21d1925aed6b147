import 'server-only';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callerOfFetch } from '@/lib/access/caller';
import { isStillAuthorized } from '@/lib/access/principal';
import type { Failure } from '@/lib/core/outcome';
import { problemOf } from '@/lib/core/problem';
import { formatIsoMillis } from '@/lib/core/time';
import type { ColumnId } from '@/lib/requests/columns';
import { EXPECTED_HEADER, type ExportFormat, exportedView, readExportUrl } from '@/lib/requests/export-url';
import { STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { formatRequestsUrl } from '@/lib/requests/view';
import { log } from '@/lib/server/log';
import { networksFor, offeredNetworks } from '@/lib/server/network-directory';
import { processWide } from '@/lib/server/process-wide';
import { PIECEWISE_HEADERS, problemReply } from '@/lib/server/reply';
import { Places } from '@/lib/server/request-body';
import { services } from '@/lib/server/services';
import { type CountedRows, indexFailure } from '@/lib/store/engine';
import {
  type ExportedRow,
  exportRows,
  exportUnreadable,
  writeParquet,
} from '@/lib/store/queries/view-export';
import type { IndexStore } from '@/lib/store/store';
import { type ExportMeta, exportText } from './export-text';
import { type AskedView, askedView, type NamedNetwork, showsUnreadable } from './listing';

const MOST_EXPORTS = 4;
const MOST_EXPORTS_OF_ONE = 2;

const kept = processWide<Places>('export-places');

export type ExportEdges = {
  store: IndexStore;
  now(): number;
  networks(): Promise<NamedNetwork[]>;
  networkNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  isStillAuthorized(): Promise<boolean>;
};

function processEdges(request: Request): ExportEdges {
  const caller = callerOfFetch(request);
  return {
    store: services().index,
    now: Date.now,
    networks: offeredNetworks,
    networkNames: async (ids) => {
      const networks = await networksFor(ids);
      return new Map(networks.map(({ networkId, name }) => [networkId, name]));
    },
    isStillAuthorized: () => isStillAuthorized(caller),
  };
}

/** A reader that takes nothing for so long has gone without a word, and its place is for others. */
const STALLED_MS = 300_000;
/** Rows per piece of text: about 100 kB, and a few milliseconds of work. */
const ROWS_PER_PIECE = 100;

/**
 * All matches of a view as a streamed file, of the moment when it began. What fails before the first row is a problem; after
 * it, the file is cut off and lacks its end mark. Whoever is no longer let in gets a mark that says so.
 */
export async function replyWithExport(
  request: Request,
  edges: ExportEdges = processEdges(request),
  places: Places = kept.ensure(() => new Places(MOST_EXPORTS, MOST_EXPORTS_OF_ONE)),
  client: readonly string[] = [],
): Promise<Response> {
  const ask = readExportUrl(new URL(request.url).searchParams);
  if (!ask.ok) return problemReply(problemOf(ask.failure));
  const headers = headersOf(ask.value.format, edges.now());
  if (request.method === 'HEAD') return new Response(null, { headers });
  const asked = askedView(ask.value.view, edges.store, await edges.networks());
  if (!asked.ok) return problemReply(problemOf(asked.failure));
  const place = places.take(client);
  if (place === undefined) return problemReply(problemOf(TOO_MANY));
  const ends = [place];
  const release = () => {
    for (const end of ends.splice(0)) end();
  };
  try {
    const { format, view } = ask.value;
    const problem = missingOf(asked.value, edges.store);
    const columns = view.columns?.columns.map(({ id }) => id);
    const work = { ...asked.value, edges, problem, columns, withUnreadable: showsUnreadable(view), ends };
    const { expected, pieces } = await (format === 'parquet' ? beginParquet(work) : beginText(work, format));
    headers.set(EXPECTED_HEADER, String(expected));
    return new Response(streamOf(pieces, request.signal, release), { headers });
  } catch (error) {
    release();
    log().error({ error }, 'export failed to start');
    return problemReply(problemOf(indexFailure(error)));
  }
}

/** An export whose rows are counted, and nothing of it is written. */
type Begun = { expected: number; pieces: AsyncGenerator<Uint8Array, void> };

type Work = AskedView & {
  edges: ExportEdges;
  problem: string | null;
  columns: ColumnId[] | undefined;
  withUnreadable: boolean;
  /** What is to be done when the export is over, however it ends. */
  ends: (() => void)[];
};

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: `At most ${MOST_EXPORTS} exports at a time, ${MOST_EXPORTS_OF_ONE} for each client. Try again when one has ended.`,
  retryAfterS: 10,
};

const CONTENT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  json: 'application/json; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

function headersOf(format: ExportFormat, nowMs: number): Headers {
  const moment = formatIsoMillis(nowMs).slice(0, 19).replaceAll(/[-:]/g, '');
  return new Headers({
    ...PIECEWISE_HEADERS,
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="requests-${moment}Z.${format}"`,
  });
}

function metaOf({ asof, readUpToMs, query, keepers, edges }: Work, expected: number): ExportMeta {
  return {
    query: formatRequestsUrl(exportedView({ ...query.view, asof })),
    asof,
    readUpTo: readUpToMs === null ? null : formatIsoMillis(readUpToMs),
    started: formatIsoMillis(edges.now()),
    order: 'created_at, newest first',
    keepers,
    expected,
  };
}

/**
 * What of the view the index does not hold; null where it holds all that its keepers had served before its moment. A view of
 * the present, whose moment is an old one as no keeper could be read since, lacks what came after it.
 */
function missingOf({ query, keepers, asofMs }: AskedView, store: IndexStore): string | null {
  const toMs = (query.toUs ?? Number.POSITIVE_INFINITY) / 1000;
  const fromMs = (query.fromUs ?? Number.NEGATIVE_INFINITY) / 1000;
  const endMs = Math.min(asofMs, toMs);
  const wantedMs = query.view.asof === undefined ? Math.min(store.now(), toMs) : endMs;
  for (const { keeper, syncedAtMs, coversAll, coveredFromMs, lost } of store.status()) {
    if (!keepers.includes(keeper)) continue;
    if (syncedAtMs === null) return `Keeper ${keeper} is not synced yet.`;
    if (!coversAll && (coveredFromMs === null || fromMs < coveredFromMs)) {
      const since = coveredFromMs === null ? '' : ` before ${formatIsoMillis(coveredFromMs)}`;
      return `History of keeper ${keeper}${since} is still syncing: rows may be missing.`;
    }
    if (Math.floor(syncedAtMs) < endMs || syncedAtMs < wantedMs - STALE_AFTER_MS) {
      return `Keeper ${keeper} was last synced at ${formatIsoMillis(syncedAtMs)}: newer rows are missing.`;
    }
    if (lost !== null && fromMs <= lost.sinceMs && endMs >= lost.fromMs) {
      return `Keeper ${keeper} lost its rows before ${formatIsoMillis(lost.sinceMs)}: some may be missing.`;
    }
  }
  return null;
}

/** Rows and the mark of the end, as text. Rows that can't be read come last: nobody knows when they were made. */
async function beginText(work: Work, format: Exclude<ExportFormat, 'parquet'>): Promise<Begun> {
  const { query, edges } = work;
  const sources: CountedRows<ExportedRow>[] = [];
  for (const open of work.withUnreadable ? [exportRows, exportUnreadable] : [exportRows]) {
    const rows = await open(edges.store.engine, query);
    work.ends.push(() => void rows.end());
    sources.push(rows);
  }
  const expected = sources.reduce((sum, { total }) => sum + total, 0);
  return { expected, pieces: textPieces(work, sources, metaOf(work, expected), format) };
}

const NOT_LET_IN = 'Stopped: the caller signed out, or the session or password is no longer valid.';

async function* textPieces(
  { edges, problem, columns }: Work,
  sources: readonly CountedRows<ExportedRow>[],
  meta: ExportMeta,
  format: Exclude<ExportFormat, 'parquet'>,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  const text = exportText(format, columns);
  let [written, unreadable, missing] = [0, 0, problem];
  const begin = text.begin(meta);
  if (begin !== '') yield encoder.encode(begin);
  for await (const rows of slicesOf(sources)) {
    if (!(await edges.isStillAuthorized())) {
      missing = NOT_LET_IN;
      break;
    }
    const names = await edges.networkNames([...new Set(rows.flatMap(({ networkId }) => networkId ?? []))]);
    written += rows.length;
    unreadable += rows.filter(({ problem }) => problem !== null).length;
    const named = rows.map((row) => ({ ...row, keeper: edges.store.keeperName(row.keeperId) }));
    yield encoder.encode(text.rows(named, (id) => names.get(id) ?? id));
  }
  const { expected } = meta;
  const complete = missing === null && written === expected;
  const end = { finished: formatIsoMillis(edges.now()), expected, written, unreadable, complete };
  yield encoder.encode(text.end(meta, { ...end, problem: missing }));
  log().info({ written, expected, complete }, 'export finished');
}

async function* slicesOf(sources: readonly CountedRows<ExportedRow>[]): AsyncGenerator<ExportedRow[], void> {
  for (const { pieces } of sources) {
    for await (const rows of pieces) {
      for (let at = 0; at < rows.length; at += ROWS_PER_PIECE) {
        yield rows.slice(at, at + ROWS_PER_PIECE);
        // Lets the others have their turn.
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
}

/** A file of its own for as long as it is read: Parquet keeps what it says of itself at its end. */
async function beginParquet(work: Work): Promise<Begun> {
  const { edges, problem, columns, withUnreadable } = work;
  const folder = await mkdtemp(join(tmpdir(), 'keeperscope-export-'));
  work.ends.push(() => void rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'requests.parquet');
  const { query, asof, readUpTo, keepers } = metaOf(work, 0);
  const complete = problem === null ? 'yes' : 'no';
  const written = await writeParquet(edges.store.engine, work.query, {
    ...{ path, withUnreadable, keepers: edges.store.keepers },
    ...(columns === undefined ? {} : { columns }),
    networks: await edges.networks(),
    says: {
      ...{ query, asof, readUpTo: readUpTo ?? 'none', keepers: keepers.join(' ') },
      ...{ complete, problem: problem ?? 'none' },
    },
  });
  const { size: bytes } = await stat(path);
  log().info({ written, bytes, complete: problem === null }, 'export finished');
  return { expected: written, pieces: filePieces(path, edges) };
}

async function* filePieces(path: string, edges: ExportEdges): AsyncGenerator<Uint8Array, void> {
  for await (const piece of createReadStream(path)) {
    // Without its end the file can't be read.
    if (!(await edges.isStillAuthorized())) throw new Error(NOT_LET_IN);
    yield piece as Uint8Array;
  }
}

/** Nothing is read ahead of the reader. It ends once: done, failed, left, or not read for too long. */
function streamOf(
  pieces: AsyncGenerator<Uint8Array, void>,
  reader: AbortSignal,
  release: () => void,
): ReadableStream<Uint8Array> {
  let stalled: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearTimeout(stalled);
    release();
    pieces.return().catch(() => undefined);
  };
  reader.addEventListener('abort', end, { once: true });
  if (reader.aborted) end();
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    clearTimeout(stalled);
    stalled = setTimeout(end, STALLED_MS).unref();
    try {
      const piece = isOver ? undefined : await pieces.next();
      if (piece === undefined || isOver) throw new Error('The export was stopped.');
      if (!piece.done) return controller.enqueue(piece.value);
      end();
      controller.close();
    } catch (error) {
      if (!isOver) log().error({ error }, 'export cut off');
      end();
      throw error;
    }
  };
  return new ReadableStream({ pull, cancel: end }, { highWaterMark: 0 });
}

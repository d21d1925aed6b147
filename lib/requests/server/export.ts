import 'server-only';
import { setTimeout as pause } from 'node:timers/promises';
import { callerOfFetch } from '@/lib/access/caller';
import { isStillAuthorized } from '@/lib/access/principal';
import { problemReply, STREAMING_HEADERS } from '@/lib/access/reply';
import { ConcurrencyLimit } from '@/lib/access/request-body';
import { countOf } from '@/lib/core/numbers';
import type { Failure } from '@/lib/core/outcome';
import { failureProblem } from '@/lib/core/problem';
import { SerialQueue } from '@/lib/core/serial-queue';
import { formatIsoMillis } from '@/lib/core/time';
import { log } from '@/lib/platform/log';
import { processWide } from '@/lib/platform/process-wide';
import type { ColumnId } from '@/lib/requests/columns';
import { EXPECTED_HEADER, type ExportFormat, exportedView, readExportUrl } from '@/lib/requests/export-url';
import { STALE_AFTER_MS } from '@/lib/requests/keeper-status';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { networksFor, offeredNetworks } from '@/lib/services/network-directory';
import { services } from '@/lib/services/services';
import { indexFailure } from '@/lib/store/engine';
import { type ExportedRow, ExportedView } from '@/lib/store/queries/view-export';
import type { IndexStore } from '@/lib/store/store';
import { type ExportMeta, exportText } from './export-text';
import { countLateRows, type NamedNetwork, type ResolvedView, resolveView, showsUnreadable } from './listing';

const MAX_EXPORTS = 4;
const MAX_EXPORTS_PER_CLIENT = 2;

const exportLimit = processWide<ConcurrencyLimit>('export-places');
const exportQueue = processWide<SerialQueue>('export-queue');

export type ExportDeps = {
  store: IndexStore;
  now(): number;
  networks(): Promise<NamedNetwork[]>;
  networkNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  isStillAuthorized(): Promise<boolean>;
  /** Queue of the exports, by default shared by all of this process, so that many load the engine no more than one. */
  queue?: SerialQueue;
  /** Longest read transaction of the index, ms. */
  holdMs?: number;
};

type ExportOptions = {
  /** Names by which the exports of a client are counted. */
  client?: readonly string[];
  deps?: ExportDeps;
  /** Limit of simultaneous exports; by default that of this process. */
  places?: ConcurrencyLimit;
};

const exportPlaces = () =>
  exportLimit.ensure(() => new ConcurrencyLimit(MAX_EXPORTS, MAX_EXPORTS_PER_CLIENT));

function processDeps(request: Request): ExportDeps {
  const caller = callerOfFetch(request);
  return {
    store: services().index,
    now: Date.now,
    networks: offeredNetworks,
    networkNames: async (ids) => {
      const networks = networksFor(ids);
      return new Map(networks.map(({ networkId, name }) => [networkId, name]));
    },
    isStillAuthorized: () => isStillAuthorized(caller),
  };
}

/** A client that reads nothing for this long is considered gone. */
const STALLED_MS = 300_000;
/** Rows of a piece: about 100 kB, and a few milliseconds of work. */
const ROWS_PER_PIECE = 100;
/** Pause after each piece, as a share of its time, in which pages are served. */
const REST_SHARE = 0.5;
const PARQUET_PIECE_BYTES = 65_536;

/**
 * Streams an export as of the moment when it began. A failure before the first row is answered with a problem; after a
 * later one the file has no end mark. If the caller's authorization ends, the end mark reports it.
 */
export async function replyWithExport(
  request: Request,
  { client = [], deps = processDeps(request), places = exportPlaces() }: ExportOptions,
): Promise<Response> {
  const parsed = readExportUrl(new URL(request.url).searchParams);
  if (!parsed.ok) return problemReply(failureProblem(parsed.failure));
  const headers = headersOf(parsed.value.format, deps.now());
  if (request.method === 'HEAD') return new Response(null, { headers });
  const ends: (() => void)[] = [];
  const release = () => {
    for (const end of ends.splice(0)) end();
  };
  try {
    const resolved = resolveView(parsed.value.view, deps.store, await deps.networks());
    if (!resolved.ok) return problemReply(failureProblem(resolved.failure));
    const place = places.acquire(client);
    if (place === undefined) return problemReply(failureProblem(TOO_MANY));
    ends.push(place);
    const { format, view } = parsed.value;
    const withUnreadable = showsUnreadable(view);
    const { engine } = deps.store;
    const { queue = exportQueue.ensure(() => new SerialQueue()), holdMs } = deps;
    const problem =
      missingOf(resolved.value, deps.store) ??
      lateText(resolved.value, await countLateRows(resolved.value.query, deps.store));
    const rows = await ExportedView.open(engine, resolved.value.query, { queue, withUnreadable, holdMs });
    ends.push(() => rows.end());
    const columns = view.columns?.columns.map(({ id }) => id);
    const work = { ...resolved.value, deps, problem, columns, rows };
    const pieces = format === 'parquet' ? parquetPieces(work) : textPieces(work, format);
    ends.push(() => void pieces.return().catch(() => undefined));
    // Waits for the first rows, so that an unreadable index gives a problem and not an empty file.
    const first = await pieces.next();
    headers.set(EXPECTED_HEADER, String(rows.total));
    return new Response(streamOf(continued(first, pieces), request.signal, release), { headers });
  } catch (error) {
    release();
    log().error({ error }, 'export failed to start');
    return problemReply(failureProblem(failureOf(error)));
  }
}

const TEMPORARY = 'DATA_DIR (the system’s temporary folder with STORE_URL, or an index in memory)';

/** Tells a full or forbidden disk from an unreadable index. */
function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : '';
  const ofDisk = (detail: string): Failure => ({ kind: 'index-unavailable', detail });
  if (/No space left|ENOSPC|EDQUOT|quota exceeded|File too large/i.test(message)) {
    return ofDisk(
      `The disk has no room for a part of the file. Free some room in ${TEMPORARY}, then export again.`,
    );
  }
  if (/^(EACCES|EPERM|EROFS|ENOTDIR|EEXIST|ENOENT)|Cannot open file|Read-only file system/.test(message)) {
    return ofDisk(
      `A part of the file can’t be written in ${TEMPORARY}: check that the folder is there and writable.`,
    );
  }
  return indexFailure(error);
}

async function* continued<T>(
  first: IteratorResult<T, void>,
  rest: AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

type Work = ResolvedView & {
  deps: ExportDeps;
  problem: string | null;
  columns: ColumnId[] | undefined;
  rows: ExportedView;
};

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: `At most ${MAX_EXPORTS} exports at a time, ${MAX_EXPORTS_PER_CLIENT} for each client. Try again when one has ended.`,
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
    ...STREAMING_HEADERS,
    'content-type': CONTENT_TYPES[format],
    'content-disposition': `attachment; filename="requests-${moment}Z.${format}"`,
  });
}

function metaOf({ asof, readUpToMs, query, keepers, deps, rows }: Work): ExportMeta {
  return {
    query: formatRequestsUrl(exportedView({ ...query.view, asof })),
    asof,
    readUpTo: readUpToMs === null ? null : formatIsoMillis(readUpToMs),
    started: formatIsoMillis(deps.now()),
    order: 'created_at, newest first',
    keepers,
    expected: rows.total,
  };
}

/**
 * Null if the index has everything that the keepers served before the export's moment. A view of the present may lack
 * rows of a keeper that could not be read for a while.
 */
function missingOf({ query, keepers, moments }: ResolvedView, store: IndexStore): string | null {
  const toMs = (query.toUs ?? Number.POSITIVE_INFINITY) / 1000;
  const fromMs = (query.fromUs ?? Number.NEGATIVE_INFINITY) / 1000;
  const endMs = Math.min(moments.untilMs, toMs);
  const wantedMs = query.view.asof === undefined ? Math.min(store.now(), toMs) : endMs;
  for (const { keeper, syncedAtMs, coversAll, coveredFromMs, history, lost, vanished } of store.status()) {
    if (!keepers.includes(keeper)) continue;
    if (syncedAtMs === null) return `Keeper ${keeper} is not synced yet.`;
    if (!coversAll && (coveredFromMs === null || fromMs < coveredFromMs)) {
      const since = coveredFromMs === null ? '' : ` before ${formatIsoMillis(coveredFromMs)}`;
      return history === null
        ? `Requests of keeper ${keeper}${since} are not kept in the index: rows may be missing.`
        : `History of keeper ${keeper}${since} is still syncing: rows may be missing.`;
    }
    if (Math.floor(syncedAtMs) < endMs || syncedAtMs < wantedMs - STALE_AFTER_MS) {
      return `Keeper ${keeper} was last synced at ${formatIsoMillis(syncedAtMs)}: newer rows are missing.`;
    }
    if (lost !== null && fromMs <= lost.sinceMs && endMs >= lost.fromMs) {
      return `Keeper ${keeper} lost its rows: requests that it took between ${formatIsoMillis(lost.fromMs)} and ${formatIsoMillis(lost.sinceMs)} may be missing.`;
    }
    if (vanished !== null && fromMs <= vanished.sinceMs) {
      const { left, rows, sinceMs } = vanished;
      const lossText = `of keeper ${keeper}, created before ${formatIsoMillis(sinceMs)}, vanished from the index`;
      return history === null
        ? `${countOf(left, 'request')} ${lossText} and are no longer served: those of this view are missing.`
        : `${countOf(rows, 'request')} ${lossText}, and are being read again: some may be missing.`;
    }
  }
  return null;
}

const lateText = ({ asof }: ResolvedView, late: number) =>
  late === 0
    ? null
    : `${countOf(late, 'request')} created before ${asof} could only be read later: missing here.`;

const UNAUTHORIZED = 'Stopped: the caller signed out, or the session or password is no longer valid.';

/** Rows that changed after the export gave up holding its `Moment`. */
const leftOut = (count: number) =>
  `${count} of the rows changed or were deleted while the file was being read, and are not in it. Export again.`;

/** Unreadable rows come last, because they have no known time. */
async function* textPieces(
  work: Work,
  format: Exclude<ExportFormat, 'parquet'>,
): AsyncGenerator<Uint8Array, void> {
  const { deps, columns } = work;
  const encoder = new TextEncoder();
  const text = exportText(format, columns);
  const meta = metaOf(work);
  let missing = work.problem;
  let written = 0;
  let unreadable = 0;
  let begin = text.begin(meta);
  for await (const rows of slicesOf(work.rows)) {
    if (!(await deps.isStillAuthorized())) {
      missing = UNAUTHORIZED;
      break;
    }
    const names = await deps.networkNames([...new Set(rows.flatMap(({ networkId }) => networkId ?? []))]);
    written += rows.length;
    unreadable += rows.filter(({ problem }) => problem !== null).length;
    const named = rows.map((row) => ({ ...row, keeper: deps.store.keeperName(row.keeperId) }));
    yield encoder.encode(begin + text.rows(named, (id) => names.get(id) ?? id));
    begin = '';
  }
  const { expected } = meta;
  if (missing === null && written !== expected) missing = leftOut(expected - written);
  const complete = missing === null;
  const end = { finished: formatIsoMillis(deps.now()), expected, written, unreadable, complete };
  yield encoder.encode(begin + text.end(meta, { ...end, problem: missing }));
  log().info({ written, expected, complete }, 'export finished');
}

async function* slicesOf(view: ExportedView): AsyncGenerator<ExportedRow[], void> {
  for await (const rows of view.pieces()) {
    for (let index = 0; index < rows.length; index += ROWS_PER_PIECE) {
      yield rows.slice(index, index + ROWS_PER_PIECE);
    }
  }
}

/** The metadata are written at the end, when everything is known. */
async function* parquetPieces(work: Work): AsyncGenerator<Uint8Array, void> {
  const { deps, columns, rows, problem } = work;
  const { query, asof, readUpTo, started, order, keepers, expected } = metaOf(work);
  const pieces = rows.parquet({
    folder: deps.store.temporaryFolder,
    columns,
    keepers: deps.store.keepers,
    networks: await deps.networks(),
    metadataOf: ({ rows: written, unreadable }) => {
      const missing = problem ?? (written === expected ? null : leftOut(expected - written));
      const complete = missing === null;
      log().info({ written, expected, complete }, 'export finished');
      const finished = formatIsoMillis(deps.now());
      const provenance = {
        query,
        asof,
        readUpTo: readUpTo ?? 'none',
        started,
        finished,
        order,
        keepers: keepers.join(' '),
      };
      const counts = { expected: String(expected), written: String(written), unreadable: String(unreadable) };
      return { ...provenance, ...counts, problem: missing ?? 'none', complete: complete ? 'yes' : 'no' };
    },
  });
  for await (const piece of pieces) {
    for (let index = 0; index < piece.length; index += PARQUET_PIECE_BYTES) {
      // Without its end, the file can't be read.
      if (!(await deps.isStillAuthorized())) throw new Error(UNAUTHORIZED);
      yield piece.subarray(index, index + PARQUET_PIECE_BYTES);
    }
  }
}

/** A stream without read-ahead. It also ends when the client leaves, or reads nothing for too long. */
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
      const beganMs = performance.now();
      const piece = isOver ? undefined : await pieces.next();
      await pause(REST_SHARE * (performance.now() - beganMs));
      if (piece === undefined || isOver) throw new Error('The export was stopped.');
      if (!piece.done) return controller.enqueue(piece.value);
      end();
      controller.close();
    } catch (error) {
      if (!isOver) log().error({ error }, 'export cut off');
      end();
      // Next closes the connection on an AbortError without printing an error.
      throw new DOMException('The export was cut off.', 'AbortError');
    }
  };
  return new ReadableStream({ pull, cancel: end }, { highWaterMark: 0 });
}

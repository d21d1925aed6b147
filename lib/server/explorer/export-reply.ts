import 'server-only';
import { type Failure, failed, type Outcome } from '@/lib/domain/outcome';
import { problemOf } from '@/lib/domain/problem';
import type { ExportEnd } from '@/lib/requests/export-mark';
import { EXPECTED_HEADER, type ExportAsk, type ExportFormat, readExportUrl } from '@/lib/requests/export-url';
import { askerOfFetch } from '@/lib/server/asker';
import { log } from '@/lib/server/log';
import { networksFor } from '@/lib/server/network-directory';
import { PIECEWISE_HEADERS, problemReply } from '@/lib/server/reply';
import { mayStay } from '@/lib/server/visitor';
import { realWaits } from './export-persistence';
import { type BegunExport, beginExport, type ExportEdges, exportPieces } from './export-run';
import { type ExportSlots, exportSlots, MOST_EXPORTS, MOST_EXPORTS_OF_ONE } from './export-slots';
import { type ExportText, exportText } from './export-text';
import { logSources } from './log-source';
import { WorkSignal } from './work-signal';

/** A reader that takes nothing for so long has gone without a word, and its place is for others. */
const STALLED_MS = 300_000;
const RETRY_AFTER_S = 10;

/** The services and clocks of this process, and who asks. */
function processEdges(request: Request): ExportEdges {
  const asker = askerOfFetch(request);
  return {
    ...realWaits,
    sources: logSources(),
    now: Date.now,
    networkNames: async (ids) => {
      const networks = await networksFor(ids);
      return new Map(networks.map(({ networkId, name }) => [networkId, name]));
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    mayStay: () => mayStay(asker),
  };
}

/**
 * All matches of a view as a file that is streamed: `?<parameters of /requests>&format=csv|ndjson|json`. What goes wrong
 * before the first row is a problem with its status; after it, the file ends with a mark that says so. So it does when
 * whoever asked is no longer let in: signed out, the session over, or another password.
 */
export async function replyWithExport(
  request: Request,
  edges: ExportEdges = processEdges(request),
  slots: ExportSlots = exportSlots(),
  client: readonly string[] = [],
): Promise<Response> {
  const ask = readExportUrl(new URL(request.url).searchParams);
  if (!ask.ok) return problemReply(problemOf(ask.failure));
  const text = exportText(
    ask.value.format,
    ask.value.view.columns?.columns.map(({ id }) => id),
  );
  if (request.method === 'HEAD')
    return new Response(null, { headers: headersOf(ask.value, text, edges.now()) });
  const work = new ExportWork(request.signal);
  const begun = await beginInSlot(ask.value, edges, () => slots.take(client), work);
  if (!begun.ok) {
    work.end();
    return problemReply(problemOf(begun.failure));
  }
  const { expected } = begun.value.meta;
  const headers = headersOf(ask.value, text, edges.now());
  if (expected !== null) headers.set(EXPECTED_HEADER, String(expected));
  return new Response(streamOf(begun.value, text, edges, work), { headers });
}

async function beginInSlot(
  ask: ExportAsk,
  edges: ExportEdges,
  takePlace: ExportSlots['take'],
  work: ExportWork,
): Promise<Outcome<BegunExport>> {
  const release = takePlace();
  if (release === undefined) return failed(TOO_MANY);
  work.atEnd(release);
  const begun = await beginExport(ask, edges, work.signal);
  return begun.ok && work.signal.aborted ? failed(GONE) : begun;
}

const TOO_MANY: Failure = {
  kind: 'too-many',
  detail: `${MOST_EXPORTS} exports at a time are made here, ${MOST_EXPORTS_OF_ONE} for one client of several. Try again when one has ended.`,
  retryAfterS: RETRY_AFTER_S,
};

const GONE: Failure = { kind: 'bad-request', detail: 'The reader left before the export began.' };

function headersOf({ format }: ExportAsk, { contentType }: ExportText, nowMs: number): Headers {
  const disposition = `attachment; filename="${fileName(format, nowMs)}"`;
  return new Headers({
    ...PIECEWISE_HEADERS,
    'content-type': contentType,
    'content-disposition': disposition,
  });
}

function fileName(format: ExportFormat, nowMs: number): string {
  const moment = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  return `requests-${moment}Z.${format}`;
}

/** One export from its place to the end of its stream, which it reaches once: done, failed, or left by its reader. */
class ExportWork {
  readonly #work: WorkSignal;
  #release: (() => void) | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(reader: AbortSignal) {
    this.#work = new WorkSignal(reader);
    this.signal.addEventListener('abort', () => this.end(), { once: true });
  }

  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** What to do at the end; at once when that is over. */
  atEnd(release: () => void): void {
    if (this.signal.aborted) release();
    else this.#release = release;
  }

  /** The reader took something. A stream that is being given up may ask once more after the end. */
  touch(): void {
    clearTimeout(this.#stalled);
    if (this.#isOver) return;
    this.#stalled = setTimeout(() => this.stop(), STALLED_MS);
    this.#stalled.unref();
  }

  stop(): void {
    this.#work.stop();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#stalled);
    this.#work.done();
    this.#release?.();
    this.#release = undefined;
  }
}

/** Nothing is read ahead of the reader: the next piece is made when it has taken the last. */
function streamOf(
  begun: BegunExport,
  text: ExportText,
  edges: ExportEdges,
  work: ExportWork,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieces = exportPieces(begun, text, edges, work.signal);
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    work.touch();
    let next = await pieces.next();
    // An empty piece would leave the reader without an answer to its pull.
    while (!next.done && next.value === '') next = await pieces.next();
    if (work.signal.aborted) return controller.error(new Error('The export was stopped.'));
    if (!next.done) return controller.enqueue(encoder.encode(next.value));
    work.end();
    if (next.value !== undefined) report(next.value);
    controller.close();
  };
  work.touch();
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        pull(controller).catch((error: unknown) => {
          log().error({ error }, 'an export met an error of ours');
          work.stop();
          controller.error(error);
        }),
      cancel() {
        work.stop();
        void pieces.return(undefined).catch(() => {});
      },
    },
    { highWaterMark: 0 },
  );
}

function report({ written, expected, complete }: ExportEnd): void {
  log().info({ written, expected: expected ?? undefined, complete }, 'an export ended');
}

import 'server-only';
import { setMaxListeners } from 'node:events';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { parseRequestsUrl, type RequestsView } from '@/lib/requests/view';
import { log } from '@/lib/server/log';
import { PIECEWISE_HEADERS } from '@/lib/server/reply';
import { WorkSignal } from './work-signal';

/** The parameters that say which rows are meant; the others of a view say how they are shown. */
const FILTERS = ['network', 'state', 'keeper', 'q', 'range', 'from', 'to', 'asof'];

/** The filters of a view, from the query of one of our routes. What can't be read is refused: it would count other rows. */
export function filtersOf(params: URLSearchParams): Outcome<RequestsView> {
  const own = new URLSearchParams([...params].filter(([name]) => FILTERS.includes(name)));
  const { view, problems } = parseRequestsUrl(own);
  const problem = problems.find(({ used }) => used === undefined);
  if (problem === undefined) return ok(view);
  return failed({ kind: 'bad-request', detail: `${problem.param}: ${problem.message}` });
}

/**
 * Lines as they come (NDJSON). The work begins with the first read, so that a HEAD never starts any, and ends when the
 * reader leaves. A bug in it cuts the stream, which then lacks its last line.
 */
export function linesReply(
  request: Request,
  lines: (signal: AbortSignal) => AsyncIterable<string>,
): Response {
  const work = new WorkSignal(request.signal);
  const { signal } = work;
  // Many counts listen to it at once, which is no leak.
  setMaxListeners(0, signal);
  const encoder = new TextEncoder();
  let source: AsyncIterator<string> | undefined;
  const begin = () => {
    const begun = lines(signal)[Symbol.asyncIterator]();
    // A reader that leaves between two lines: what the work holds is given back at its end only.
    signal.addEventListener('abort', () => void begun.return?.().catch(() => {}));
    return begun;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        source ??= begin();
        try {
          const next = await source.next();
          if (!next.done) return controller.enqueue(encoder.encode(`${next.value}\n`));
          work.done();
          controller.close();
        } catch (error) {
          work.done();
          if (!signal.aborted) log().error({ error }, 'lines were cut off');
          controller.error(error);
        }
      },
      cancel: () => work.stop(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: LINE_HEADERS });
}

const LINE_HEADERS = { ...PIECEWISE_HEADERS, 'content-type': 'application/x-ndjson' };

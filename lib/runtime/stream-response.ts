import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readCaller } from '@/lib/access/caller';
import { guardRequest } from '@/lib/access/guard';
import { admitWithLimits, type Entry, type Principal } from '@/lib/access/principal';
import { problemHeaders, STREAMING_HEADERS } from '@/lib/access/reply';
import { type ProblemDetails, problemDetails } from '@/lib/core/problem';
import { MINUTE_MS } from '@/lib/core/time';
import type { Sink } from '@/lib/feeds/server/subscribers';
import { metrics, type StreamName } from '@/lib/platform/metrics';

const STREAM_HEADERS = { ...STREAMING_HEADERS, 'content-type': 'text/event-stream' };
/** TCP then probes a peer that may have vanished. */
const KEEP_ALIVE_PROBE_MS = MINUTE_MS;

/** Undefined after a refusal by guard, principal or method, which is answered here. */
export async function streamPrincipal(
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Principal | undefined> {
  const caller = readCaller(req);
  const refusal = guardRequest(caller);
  const entry: Entry = refusal ? { ok: false, problem: refusal, headers: {} } : await admitWithLimits(caller);
  // The `close` event has passed, so a slot taken for the caller would never be released.
  if (res.destroyed) return undefined;
  if (!entry.ok) writeProblem(res, entry.problem, entry.headers);
  else if (req.method === 'GET' || req.method === 'HEAD') return entry.principal;
  else writeProblem(res, problemDetails('method', 'Allowed: GET, HEAD.'), { allow: 'GET, HEAD' });
  return undefined;
}

/** Path and query as sent: Next's parsed form loses the order of parameters and duplicates. */
export function splitUrl({ url = '' }: IncomingMessage): [path: string, query: string] {
  const end = url.indexOf('?');
  return end < 0 ? [url, ''] : [url.slice(0, end), url.slice(end + 1)];
}

export function writeProblem(
  res: ServerResponse,
  refusal: ProblemDetails,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  res.writeHead(refusal.status, { ...problemHeaders(refusal), ...headers });
  res.end(JSON.stringify(refusal));
}

export function writeHeadOnly(res: ServerResponse): void {
  res.writeHead(200, STREAM_HEADERS);
  res.end();
}

const eventStreams = new WeakSet<ServerResponse>();

/** The duration of an event stream depends on the client, so it is not a latency. */
export const isEventStream = (res: ServerResponse) => eventStreams.has(res);

/** Sends the head. @param stream name in the metrics of cuts */
export function beginStream(res: ServerResponse, stream: StreamName): Sink {
  res.writeHead(200, STREAM_HEADERS);
  res.flushHeaders();
  eventStreams.add(res);
  res.socket?.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  return {
    write: (bytes) => (res.destroyed ? true : res.write(bytes)),
    onDrain: (run) => void res.once('drain', run),
    end: () => endStream(res),
    destroy: () => {
      if (!res.destroyed) metrics().readerCut(stream);
      res.destroy();
    },
  };
}

const LAST_BYTES_MS = 250;

/** Closes the connection too, which would delay the end of the process. A slow client is cut off. */
export function endStream(res: ServerResponse): void {
  if (res.destroyed) return;
  const { socket } = res;
  const cut = setTimeout(() => res.destroy(), LAST_BYTES_MS);
  res.once('close', () => clearTimeout(cut));
  res.end(() => socket?.destroySoon());
}

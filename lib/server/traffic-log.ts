import 'server-only';
import type { CallEvent } from '@/lib/upstream/call-record';
import { type Log, log } from './log';

/** A request that is over, answered or given up by its caller. Nothing in it tells who asked, or for what exactly. */
export type RequestEnd = {
  /** The caller's own, or ours. For logs only: no label of a metric. */
  requestId: string;
  /** A stream is over when somebody leaves, after hours perhaps. */
  kind: 'answer' | 'stream';
  method: string;
  /** The pattern of its path. */
  route: string;
  /** `aborted`: the caller left before the answer began. */
  status: number | 'aborted';
  /** From its arrival to the last byte of the answer. */
  ms: number;
  /** What was sent for it, head included. */
  bytes: number;
};

/** Files that are the same for everybody, dozens of them for each page. */
const STATIC = new Set(['/_next/static/{file}', '/icon.svg']);

/** Failures that the request itself is to blame for, not the service. */
const OF_THE_REQUEST: ReadonlySet<string> = new Set(['bad-request', 'rejected', 'missing']);

/** One line for each request to us, written at its end; for a stream this is when somebody leaves. */
export function logRequest({ kind, ...about }: RequestEnd): void {
  log()[levelOfRequest(about)](about, kind === 'stream' ? 'stream' : 'request');
}

/** One line for each call to a service, written at the end of its answer; for a stream of a service, at its beginning. */
export function logCall({ label: service, called, ...about }: CallEvent): void {
  const { route, outcome, status, ms, bytes } = about;
  const sent = called ? undefined : 'no';
  log()[levelOfCall(outcome, called)]({ service, route, outcome, status, ms, bytes, sent }, 'service call');
}

function levelOfRequest({ route, status }: Pick<RequestEnd, 'route' | 'status'>): keyof Log {
  if (typeof status === 'number' && status >= 500) return 'warn';
  return typeof status === 'number' && status < 400 && STATIC.has(route) ? 'debug' : 'info';
}

function levelOfCall(outcome: CallEvent['outcome'], called: boolean): keyof Log {
  return outcome === 'ok' || !called || OF_THE_REQUEST.has(outcome) ? 'info' : 'warn';
}

import 'server-only';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID_HEADER } from './request-id';
import { isStreamRoute, routePatternOf } from './request-routes';

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

/** Tells of the end of a request, once. @param pathname as it was when it arrived: Next changes the address in place */
export function watchRequest(
  request: IncomingMessage,
  response: ServerResponse,
  pathname: string,
  tell: (end: RequestEnd) => void,
): void {
  const { method = '', socket, headers } = request;
  const requestId = headers[REQUEST_ID_HEADER]?.toString() ?? '';
  const startedAt = performance.now();
  const bytesBefore = socket.bytesWritten;
  response.once('close', () => {
    const route = routePatternOf(pathname);
    tell({
      requestId,
      kind: isStreamRoute(route) ? 'stream' : 'answer',
      method,
      route,
      status: response.headersSent ? response.statusCode : 'aborted',
      ms: performance.now() - startedAt,
      bytes: Math.max(0, socket.bytesWritten - bytesBefore),
    });
  });
}

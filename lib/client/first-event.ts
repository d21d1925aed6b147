import { createParser } from 'eventsource-parser';
import { failed, type Outcome, ok, type ServiceName } from '@/lib/domain/outcome';
import { failureOfAnswer } from './gateway';

/** A feed that trades publishes within a second or two; a resting one may not do so for days. */
const PATIENCE_MS = 15_000;
/** An update of a hundred feeds with its binary form is some 200 kB. */
const LONGEST_EVENT = 4_000_000;

/**
 * Opens a stream of the gateway to `service`, waits for its first update, and closes it. Failures are values: what our server says
 * when the stream can't start, an error event of the service, or silence (`timeout`). Rejects only when `signal` is aborted.
 */
export async function fetchFirstEvent(
  { path, service }: { path: string; service: ServiceName },
  signal: AbortSignal,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Outcome<string>> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  // Left open, the stream would go on in the background.
  const close = new AbortController();
  try {
    const either = AbortSignal.any([signal, patience, close.signal]);
    const response = await fetch(path, { signal: either, cache: 'no-store' });
    if (!response.ok) return failed(failureOfAnswer(await response.text(), response.status));
    return await firstOf(response.body, service);
  } catch (error) {
    if (signal.aborted) throw error;
    if (patience.aborted) {
      return failed({ kind: 'timeout', service, detail: 'The stream brought no update within 15 seconds.' });
    }
    return failed({ kind: 'unreachable', detail: 'No connection.' });
  } finally {
    close.abort();
  }
}

async function firstOf(
  body: ReadableStream<Uint8Array> | null,
  service: ServiceName,
): Promise<Outcome<string>> {
  let found: Outcome<string> | undefined;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      found ??= event === 'error' ? failed({ kind: 'failing', service, detail: data }) : ok(data);
    },
  });
  const utf8 = new TextDecoder();
  const reader = body?.getReader();
  for (let length = 0; reader !== undefined && found === undefined; ) {
    const { done, value } = await reader.read();
    length += value?.length ?? 0;
    if (done || length > LONGEST_EVENT) break;
    parser.feed(utf8.decode(value, { stream: true }));
  }
  return found ?? failed({ kind: 'malformed', service, detail: 'The stream ended before its first update.' });
}

import { createParser } from 'eventsource-parser';

/** `event` is undefined for an event without a name. */
export type SseEvent = {
  kind: 'event';
  event: string | undefined;
  data: string;
  id: string | undefined;
};

/** `progress`: lines that complete no item, but prove that the stream is alive. `overlong` is the last item. */
export type SseItem =
  | SseEvent
  | { kind: 'comment'; text: string }
  | { kind: 'retry'; ms: number }
  | { kind: 'progress' }
  | { kind: 'overlong' };

/** An event of 1000 feeds with their binary form has 1.2 million. Without a cap, an endless line would fill memory. */
const MAX_EVENT_CHARS = 4_000_000;

/** Chunks may be cut anywhere. */
type SseDecoder = { push(chunk: Uint8Array): SseItem[] };

/** Accepts all line endings. Invalid UTF-8 becomes U+FFFD. An event without its final blank line is not returned. */
export function createSseDecoder(maxEventChars: number = MAX_EVENT_CHARS): SseDecoder {
  // The decoder also drops a byte order mark.
  const utf8 = new TextDecoder('utf-8');
  let items: SseItem[] = [];
  let afterCr = false;
  let over = false;

  const tooLong = () => {
    over = true;
  };
  const parser = createParser({
    maxBufferSize: maxEventChars,
    onEvent: ({ event, data, id }) => {
      if (over) return;
      if (data.length > maxEventChars) tooLong();
      else items.push({ kind: 'event', event, data, id });
    },
    onComment: (text) => {
      if (!over) items.push({ kind: 'comment', text });
    },
    onRetry: (ms) => {
      if (!over) items.push({ kind: 'retry', ms });
    },
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') tooLong();
    },
  });

  // The parser withholds a line that ends in a bare CR until the next byte arrives, perhaps a minute later.
  // So a CR becomes LF at once, and the LF of a CRLF pair is dropped, even at the start of the next chunk.
  const withLineFeeds = (text: string): string => {
    const rest = afterCr && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') afterCr = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  };

  return {
    push(chunk) {
      if (over) return [];
      const text = withLineFeeds(utf8.decode(chunk, { stream: true }));
      if (text === '') return [];
      items = [];
      withoutStacks(() => parser.feed(text));
      if (over) items.push({ kind: 'overlong' });
      else if (items.length === 0 && text.includes('\n')) items.push({ kind: 'progress' });
      return items;
    },
  };
}

/** The parser creates an error for each unknown line, whose stack trace costs ten times as much as the rest. */
function withoutStacks(work: () => void): void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Throws what the body throws, such as a reset. Ends after `overlong`. */
export async function* readSse(body: AsyncIterable<Uint8Array>): AsyncGenerator<SseItem> {
  const decoder = createSseDecoder();
  for await (const chunk of body) {
    for (const item of decoder.push(chunk)) {
      yield item;
      if (item.kind === 'overlong') return;
    }
  }
}

const LINE_END = /\r\n|\r|\n/;

/** Multi-line data becomes several `data:` lines; line breaks in a name or an id become spaces. */
export function formatSseEvent(event: { event?: string; data: string; id?: string }): string {
  const lines: string[] = [];
  if (event.id !== undefined) lines.push(`id: ${singleLine(event.id)}`);
  if (event.event !== undefined) lines.push(`event: ${singleLine(event.event)}`);
  // The usual body is one long line of JSON, which needs no splitting.
  if (!event.data.includes('\n') && !event.data.includes('\r')) lines.push(`data: ${event.data}`);
  else for (const line of event.data.split(LINE_END)) lines.push(`data: ${line}`);
  return `${lines.join('\n')}\n\n`;
}

export function formatSseComment(text: string): string {
  return `: ${singleLine(text)}\n\n`;
}

function singleLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ');
}

import { createParser } from 'eventsource-parser';

/** One event as it stood on the wire; `event` is undefined for an unnamed one. */
export type SseEvent = {
  kind: 'event';
  event: string | undefined;
  data: string;
  id: string | undefined;
};

/** `progress`: lines that are no whole event or comment: a sign of life. `overlong`: over the cap, the last item. */
export type SseItem =
  | SseEvent
  | { kind: 'comment'; text: string }
  /** The service's wait before the next connection. */
  | { kind: 'retry'; ms: number }
  | { kind: 'progress' }
  | { kind: 'overlong' };

/** Characters of an event: 1000 feeds with their binary form are 1.2 million; an endless line must not fill memory. */
const MAX_EVENT_CHARS = 4_000_000;

/** Bytes to items; feed it chunks of any size, cut anywhere. */
export type SseDecoder = { push(chunk: Uint8Array): SseItem[] };

/** Any line ends; no byte order mark; invalid UTF-8 is U+FFFD. An event without its blank line is never given. */
export function createSseDecoder(maxEventChars: number = MAX_EVENT_CHARS): SseDecoder {
  // Without `fatal` it replaces what is invalid, and it drops one byte order mark by itself.
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

  // The parser holds a line that ends in a bare CR until the next byte comes, which may be a minute later. So it is
  // given LF only: a CR becomes LF at once, and the LF of a CRLF pair is dropped, even when it comes in the next chunk.
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

/** The parser makes an error of each unknown line, whose stack takes ten times as long as all else. */
function withoutStacks(work: () => void): void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Reads a body to its end, item by item. Throws what the body throws (a reset); ends after `overlong`. */
export async function* readSse(
  body: AsyncIterable<Uint8Array>,
  maxEventChars: number = MAX_EVENT_CHARS,
): AsyncGenerator<SseItem> {
  const decoder = createSseDecoder(maxEventChars);
  for await (const chunk of body) {
    for (const item of decoder.push(chunk)) {
      yield item;
      if (item.kind === 'overlong') return;
    }
  }
}

const LINE_END = /\r\n|\r|\n/;

/** Text of one event. Data of several lines becomes several `data:` lines; line ends in a name or an id become spaces. */
export function formatSseEvent(event: { event?: string; data: string; id?: string }): string {
  const lines: string[] = [];
  if (event.id !== undefined) lines.push(`id: ${oneLine(event.id)}`);
  if (event.event !== undefined) lines.push(`event: ${oneLine(event.event)}`);
  // The usual body is one long line of JSON: it is not split for nothing.
  if (!event.data.includes('\n') && !event.data.includes('\r')) lines.push(`data: ${event.data}`);
  else for (const line of event.data.split(LINE_END)) lines.push(`data: ${line}`);
  return `${lines.join('\n')}\n\n`;
}

/** Text of a comment: keeps a connection open, means nothing. */
export function formatSseComment(text: string): string {
  return `: ${oneLine(text)}\n\n`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, ' ');
}

/**
 * What happened to the stream behind our own pages in the last 30 minutes, for the charts: parts without updates, and
 * changes of the host.
 */

/** The two hosts of the price update service, by the name of their setting. */
export type FeedHost = 'updates' | 'upgraded';

export type FeedMark = {
  /** The same mark keeps its key while it changes; unique among the marks of one server run. */
  key: string;
  /**
   * `outage`: no stream, and not by an orderly close. `planned`: the service ended the stream in good order and the next
   * one stood soon. `host`: from `fromMs` on the stream is that of `host`.
   */
  kind: 'outage' | 'host' | 'planned';
  /** Unix milliseconds by our server's clock: up to then everything came, or the moment of the change. */
  fromMs: number;
  /** When the next stream stood; absent as long as none does, and for `host`. */
  untilMs?: number;
  host?: FeedHost;
  /** The feeds that it concerns; absent: all. */
  ids?: string[];
};

/** The kinds that this version knows; a mark of another kind is left out. */
const KINDS: readonly string[] = ['outage', 'host', 'planned'];

/** Reads a list of marks; those that can't be read are left out. */
export function readFeedMarks(value: unknown): FeedMark[] {
  return Array.isArray(value) ? value.flatMap((one) => readMark(one) ?? []) : [];
}

/** Reads the name of a host; undefined for any other. */
export function readFeedHost(value: unknown): FeedHost | undefined {
  return value === 'updates' || value === 'upgraded' ? value : undefined;
}

function readMark(value: unknown): FeedMark | undefined {
  if (!isObject(value) || typeof value.key !== 'string') return undefined;
  if (typeof value.kind !== 'string' || !KINDS.includes(value.kind) || !isMoment(value.fromMs))
    return undefined;
  const mark: FeedMark = { key: value.key, kind: value.kind as FeedMark['kind'], fromMs: value.fromMs };
  const host = readFeedHost(value.host);
  if (isMoment(value.untilMs)) mark.untilMs = value.untilMs;
  if (host) mark.host = host;
  if (Array.isArray(value.ids)) mark.ids = value.ids.filter((id) => typeof id === 'string');
  return mark;
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

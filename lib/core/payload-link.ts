import { type FeedId, parseFeedId } from './feed';
import { type UnixSeconds, unixSeconds } from './time';

/** The two hosts of the price update service, by the names that our routes use. */
const UPDATE_HOSTS = ['updates', 'upgraded'] as const;
export type UpdateHost = (typeof UPDATE_HOSTS)[number];

/** Which payload to fetch and take apart: the first update of these feeds at or after a second, or the latest. */
export type InspectedUpdate = {
  readonly host: UpdateHost;
  readonly at: UnixSeconds | 'latest';
  /** At least one, each once. */
  readonly ids: readonly FeedId[];
};

export const INSPECTOR_ANCHOR = 'payload-inspector';
export const INSPECT_PARAM = 'inspect';

/** With more the address of the call would grow past what servers take. */
const MAX_INSPECTED_FEEDS = 100;

/**
 * Opens the payload inspector, by `upgraded:1690576635:e62d…` or `updates:latest:e62d…,ff61…`.
 * @param at the host answers with the first update at or after that second
 */
export function inspectLink(
  host: UpdateHost,
  at: UnixSeconds | 'latest',
  ids: readonly FeedId[],
): `/services?${string}` {
  return `/services?${INSPECT_PARAM}=${host}:${at}:${ids.join(',')}#${INSPECTOR_ANCHOR}`;
}

const FORM = 'Use updates:1690576635:<feed id> or upgraded:latest:<feed id>,<feed id>.';

/** The payload that an address asks for, or why it can't be read. */
export function parseInspectText(text: string): { asked?: InspectedUpdate; problem?: string } {
  const [hostText = '', atText = '', idsText = '', ...rest] = text.split(':');
  const host = UPDATE_HOSTS.find((one) => one === hostText);
  if (host === undefined || rest.length > 0) return { problem: FORM };
  const at = atText === 'latest' ? atText : unixSeconds(/^\d{1,16}$/.test(atText) ? Number(atText) : -1);
  if (at === undefined) return { problem: 'The publish time is whole unix seconds, or the word latest.' };
  const ids = [...new Set(idsText.split(',').map((part) => parseFeedId(part.trim())))];
  if (ids.length > MAX_INSPECTED_FEEDS)
    return { problem: `At most ${MAX_INSPECTED_FEEDS} feeds are inspected at once.` };
  if (!ids.every((id) => id !== undefined)) return { problem: 'Use feed ids of 64 hex digits.' };
  return { asked: { host, at, ids } };
}

/** The route of our gateway that gives this update, as hex and parsed. */
export function inspectedRoute({ host, at, ids }: InspectedUpdate): `/api/${UpdateHost}/${string}` {
  const query = ids.map((id) => `ids[]=${id}`).join('&');
  return `/api/${host}/v2/updates/price/${at}?${query}&encoding=hex&parsed=true&ignore_invalid_price_ids=true`;
}

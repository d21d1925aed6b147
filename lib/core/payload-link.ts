import { type FeedId, parseFeedId } from './feed';
import { type UnixSeconds, unixSeconds } from './time';

const UPDATE_HOSTS = ['updates', 'upgraded'] as const;
type UpdateHost = (typeof UPDATE_HOSTS)[number];

/** The first update of these feeds at or after a second, or the latest one. */
export type InspectedUpdate = {
  readonly host: UpdateHost;
  readonly at: UnixSeconds | 'latest';
  /** Ids of feeds: at least one, each once. */
  readonly ids: readonly FeedId[];
};

/** Anchor of old links, from when the inspector was a part of `/services`. */
export const INSPECTOR_ANCHOR = 'payload-inspector';
export const INSPECTOR_PATH = '/prices?view=inspector';
export const INSPECT_PARAM = 'inspect';

/** Limit of feeds, because some servers refuse the longer address of more. */
const MAX_INSPECTED_FEEDS = 100;

/** `upgraded:1690576635:e62d…`, `updates:latest:e62d…,ff61…` */
export const formatInspectText = ({ host, at, ids }: InspectedUpdate) => `${host}:${at}:${ids.join(',')}`;

/** @param at the host answers with the first update at or after this second */
export function inspectLink(
  host: UpdateHost,
  at: UnixSeconds | 'latest',
  ids: readonly FeedId[],
): `/prices?${string}` {
  return `${INSPECTOR_PATH}&${INSPECT_PARAM}=${formatInspectText({ host, at, ids })}`;
}

const FORM = 'Use updates:1690576635:<feed id> or upgraded:latest:<feed id>,<feed id>.';

/** Reads what `formatInspectText` writes. */
export function parseInspectText(text: string): { update?: InspectedUpdate; problem?: string } {
  const [hostText = '', atText = '', idsText = '', ...rest] = text.split(':');
  const host = UPDATE_HOSTS.find((name) => name === hostText);
  if (host === undefined || rest.length > 0) return { problem: FORM };
  const at = atText === 'latest' ? atText : unixSeconds(/^\d{1,16}$/.test(atText) ? Number(atText) : -1);
  if (at === undefined) return { problem: 'The publish time is whole unix seconds, or the word latest.' };
  const ids = [...new Set(idsText.split(',').map((part) => parseFeedId(part.trim())))];
  if (ids.length > MAX_INSPECTED_FEEDS)
    return { problem: `At most ${MAX_INSPECTED_FEEDS} feeds are inspected at once.` };
  if (!ids.every((id) => id !== undefined)) return { problem: 'Use feed ids of 64 hex digits.' };
  return { update: { host, at, ids } };
}

/** Returns the update as hex and parsed. */
export function inspectedRoute({ host, at, ids }: InspectedUpdate): `/api/${UpdateHost}/${string}` {
  const query = ids.map((id) => `ids[]=${id}`).join('&');
  return `/api/${host}/v2/updates/price/${at}?${query}&encoding=hex&parsed=true&ignore_invalid_price_ids=true`;
}

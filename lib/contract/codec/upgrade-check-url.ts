import { type UnixSeconds, unixSeconds } from '@/lib/domain/units';
import type { UrlProblem } from '@/lib/domain/url-problem';
import { type FeedReference, feedReferenceText, parseFeedReference } from './feeds-url';
import {
  INSPECT_PARAM,
  INSPECTOR_ANCHOR,
  type InspectedUpdate,
  inspectText,
  SERVICES_PATH,
} from './payload-link';

/** What the address asks to be checked. */
export type UpgradeView = {
  /** At least one, each once. */
  readonly feeds: readonly FeedReference[];
  /** The second that the at-time routes are asked for; undefined: one that was just published. */
  readonly at: UnixSeconds | undefined;
  /** `deprecated`: that route is asked as well. */
  readonly extra: 'deprecated' | 'none';
};

export const UPGRADE_ANCHOR = 'upgrade-check';
/** Each costs calls of its own where the deprecated route is asked; ten of each class tell as much as a hundred. */
export const MOST_CHECKED_FEEDS = 10;

const [FEEDS, AT, EXTRA] = ['upgrade', 'upgradeat', 'upgradewith'];

/** Reads the part of the services page's query that belongs to the check; `view` is undefined where it asks for none. */
export function parseUpgradeUrl(params: URLSearchParams): {
  view: UpgradeView | undefined;
  problems: UrlProblem[];
} {
  const problems: UrlProblem[] = [];
  const report = (param: string, value: string, message: string) => problems.push({ param, value, message });
  const feeds = readFeeds(params, report);
  const at = readSecond(params, report);
  const extra = params.get(EXTRA);
  if (extra !== null && extra !== 'deprecated')
    report(EXTRA, extra, 'It is the word deprecated, or left out.');
  if (feeds.length === 0) return { view: undefined, problems };
  return { view: { feeds, at, extra: extra === 'deprecated' ? 'deprecated' : 'none' }, problems };
}

type Report = (param: string, value: string, message: string) => void;

function readFeeds(params: URLSearchParams, report: Report): FeedReference[] {
  const found = new Map<string, FeedReference>();
  for (const text of params.getAll(FEEDS).flatMap((value) => value.split(','))) {
    if (text.trim() === '') continue;
    const reference = parseFeedReference(text);
    if (reference === undefined) {
      report(FEEDS, text, 'A feed is given by its symbol, or by an id of 64 hex digits.');
    } else found.set(feedReferenceText(reference).toLowerCase(), reference);
  }
  const all = [...found.values()];
  const left = all.length - MOST_CHECKED_FEEDS;
  if (left > 0) {
    report(
      FEEDS,
      `${all.length} feeds`,
      `At most ${MOST_CHECKED_FEEDS} feeds are checked; ${left} more are left out.`,
    );
  }
  return all.slice(0, MOST_CHECKED_FEEDS);
}

function readSecond(params: URLSearchParams, report: Report): UnixSeconds | undefined {
  const text = params.get(AT);
  if (text === null || text === '') return undefined;
  const seconds = /^\d{1,12}$/.test(text) ? unixSeconds(Number(text)) : undefined;
  if (seconds === undefined) report(AT, text, 'The moment is in whole unix seconds.');
  return seconds;
}

/** The address that runs this check. @param others the query of the page, of which everything else is kept */
export function formatUpgradeUrl(view: UpgradeView, others = new URLSearchParams()): `/services?${string}` {
  const kept = [...others].filter(([name]) => ![FEEDS, AT, EXTRA].includes(name));
  const pairs = [
    ...kept.map(([name, value]) => `${encodeURIComponent(name)}=${readable(value)}`),
    `${FEEDS}=${view.feeds.map((feed) => readable(feedReferenceText(feed))).join(',')}`,
    ...(view.at === undefined ? [] : [`${AT}=${view.at}`]),
    ...(view.extra === 'deprecated' ? [`${EXTRA}=deprecated`] : []),
  ];
  return `${SERVICES_PATH}?${pairs.join('&')}#${UPGRADE_ANCHOR}`;
}

/** Slashes and colons may stand in a query as they are, and a person can read them. */
function readable(text: string): string {
  return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':');
}

/** The address that opens the payload inspector on an update, and leaves the check where it is. */
export function inspectBesideCheck(view: UpgradeView, update: InspectedUpdate): `/services?${string}` {
  const address = formatUpgradeUrl(view, new URLSearchParams({ [INSPECT_PARAM]: inspectText(update) }));
  return `${address.slice(0, address.indexOf('#')) as `/services?${string}`}#${INSPECTOR_ANCHOR}`;
}

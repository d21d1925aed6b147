import { type FeedId, type FeedUpdate, readDeprecatedFeed, readUpdateBody } from './feed';
import type { Failure } from './outcome';
import { type UnixMillis, type UnixSeconds, unixMillis } from './units';
import type { UpgradePayload } from './upgrade-check-payload';
import { type FeedAgreement, feedAgreement } from './upgrade-check-prices';
import { type ShapeDifference, shapeDifferences, wireShapeOf } from './upgrade-check-shape';
import { isWireObject, member, readWireDocument } from './wire-json';

/** When the price update service was upgraded: 2026-08-26T16:00:00Z, as its contract says. */
export const CUTOVER_MS: UnixMillis = unixMillis(Date.UTC(2026, 7, 26, 16));

/** The routes that both hosts have, in the order in which they are asked. */
export const UPGRADE_ROUTES = ['latest', 'at-time', 'directory', 'deprecated', 'stream'] as const;
export type UpgradeRoute = (typeof UPGRADE_ROUTES)[number];

/** What one host answered. `skipped`: not asked, since an earlier failure would only have come again. */
export type UpgradeSide =
  | {
      readonly kind: 'answered';
      readonly text: string;
      readonly tookMs: number;
      readonly payloads: readonly UpgradePayload[];
    }
  | { readonly kind: 'failed'; readonly failure: Failure; readonly tookMs: number }
  | { readonly kind: 'skipped'; readonly failure: Failure };

/** The same question to both hosts. */
export type UpgradePair = {
  readonly route: UpgradeRoute;
  /** The feed of a route that takes only one. */
  readonly feed?: FeedId;
  /** Path and query below the host's base. */
  readonly path: string;
  readonly old: UpgradeSide;
  readonly upgraded: UpgradeSide;
};

/** All that a check gathered. */
export type UpgradeEvidence = {
  readonly ids: readonly FeedId[];
  /** The second that the at-time routes were asked for. */
  readonly at: UnixSeconds;
  readonly askedAtMs: UnixMillis;
  readonly pairs: readonly UpgradePair[];
};

/** What a pair of answers says. Empty lists where one host gave no answer. */
export type UpgradeFinding = {
  readonly pair: UpgradePair;
  readonly differences: readonly ShapeDifference[];
  readonly agreements: readonly FeedAgreement[];
  /** Feeds that were asked for and are in the answer of one host only. */
  readonly onlyOld: readonly FeedId[];
  readonly onlyUpgraded: readonly FeedId[];
  /** Feeds that neither answer holds. */
  readonly nowhere: readonly FeedId[];
};

/** Compares each pair of answers: shapes member by member, and prices where the route gives any. */
export function upgradeFindings({ ids, pairs }: UpgradeEvidence): UpgradeFinding[] {
  return pairs.map((pair) => findingOf(pair, ids));
}

function findingOf(pair: UpgradePair, ids: readonly FeedId[]): UpgradeFinding {
  const nothing = { differences: [], agreements: [], onlyOld: [], onlyUpgraded: [], nowhere: [] };
  const { old, upgraded } = pair;
  if (old.kind !== 'answered' || upgraded.kind !== 'answered') return { pair, ...nothing };
  const wanted = pair.feed === undefined ? ids : [pair.feed];
  const [left, right] = [read(old.text), read(upgraded.text)];
  const [leftIds, rightIds] = [idsIn(left), idsIn(right)];
  const common = new Set(wanted.filter((id) => leftIds.has(id) && rightIds.has(id)));
  const shapes = [left, right].map((value) => wireShapeOf(reduced(value, common)));
  return {
    pair,
    differences: shapes[0] && shapes[1] ? shapeDifferences(shapes[0], shapes[1]) : [],
    agreements: agreementsOf(pair.route, old.text, upgraded.text),
    onlyOld: wanted.filter((id) => leftIds.has(id) && !rightIds.has(id)),
    onlyUpgraded: wanted.filter((id) => rightIds.has(id) && !leftIds.has(id)),
    nowhere: wanted.filter((id) => !rightIds.has(id) && !leftIds.has(id)),
  };
}

function read(text: string): unknown {
  return readWireDocument(text)?.value;
}

/** The list of feeds in an answer: the directory is one itself, and the deprecated route gives a single one. */
function elementsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isWireObject(value)) return [];
  const parsed = member(value, 'parsed');
  return Array.isArray(parsed) ? parsed : [value];
}

function idOf(element: unknown): string {
  const id = isWireObject(element) ? member(element, 'id') : undefined;
  return typeof id === 'string' ? id.replace(/^0x/i, '').toLowerCase() : '';
}

function idsIn(value: unknown): Set<string> {
  return new Set(elementsOf(value).map(idOf));
}

/** The answer with only those feeds that both hosts gave: what another feed may lack is no difference of the hosts. */
function reduced(value: unknown, common: ReadonlySet<string>): unknown {
  const isCommon = (element: unknown) => common.has(idOf(element));
  if (Array.isArray(value)) return value.filter(isCommon);
  if (!isWireObject(value)) return value;
  const parsed = member(value, 'parsed');
  return Array.isArray(parsed) ? { ...value, parsed: parsed.filter(isCommon) } : value;
}

function agreementsOf(route: UpgradeRoute, old: string, upgraded: string): FeedAgreement[] {
  if (route === 'directory') return [];
  const [left, right] = [updatesOf(route, old), updatesOf(route, upgraded)];
  const sameness = route === 'latest' || route === 'stream' ? 'of the slot' : 'of the second';
  return left.flatMap((update) => {
    const other = right.find(({ id }) => id === update.id);
    return other === undefined ? [] : [feedAgreement(update, other, sameness)];
  });
}

/** The updates of an answer as far as they can be read. */
export function updatesOf(route: UpgradeRoute, text: string): FeedUpdate[] {
  if (route === 'directory') return [];
  if (route !== 'deprecated') {
    const body = readUpdateBody(text);
    return body.ok ? body.value.updates : [];
  }
  const feed = readDeprecatedFeed(text);
  return feed.ok ? [feed.value.update] : [];
}

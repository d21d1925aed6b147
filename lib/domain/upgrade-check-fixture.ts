import { type FeedId, parseFeedId } from './feed';
import { type UnixSeconds, unixMillis, unixSeconds } from './units';
import type { UpgradeEvidence, UpgradePair, UpgradeRoute, UpgradeSide } from './upgrade-check';
import type { UpgradePayload } from './upgrade-check-payload';

/** Evidence written by hand, for tests. */

const id = (digit: string) => parseFeedId(digit.repeat(64)) as FeedId;
export const [FEED_A, FEED_B] = [id('a'), id('b')];
export const AT = unixSeconds(1_790_000_000) as UnixSeconds;

type PriceParts = { price?: string; conf?: string; at?: number; slot?: number };

/** One element of `parsed`. */
export function element(feed: FeedId, { price = '1000', conf = '10', at = AT, slot = 7 }: PriceParts = {}) {
  const one = { price, conf, expo: -2, publish_time: at };
  return { id: feed, price: one, ema_price: one, metadata: { slot } };
}

export function body(...parsed: object[]): string {
  return JSON.stringify({ binary: { encoding: 'hex', data: ['00'] }, parsed });
}

export function payload(generation: UpgradePayload['generation']): UpgradePayload {
  return { data: '00', generation, reasons: ['13 signatures.'], standing: 'sound' };
}

/** @param generation of its one payload; `none`: the answer has no payload */
export function answered(text: string, generation: UpgradePayload['generation'] | 'none'): UpgradeSide {
  return { kind: 'answered', text, tookMs: 5, payloads: generation === 'none' ? [] : [payload(generation)] };
}

export function pairOf(route: UpgradeRoute, old: UpgradeSide, upgraded: UpgradeSide): UpgradePair {
  return { route, path: `/${route}`, old, upgraded };
}

export function evidenceOf(...pairs: UpgradePair[]): UpgradeEvidence {
  return { ids: [FEED_A, FEED_B], at: AT, askedAtMs: unixMillis(AT * 1000 + 60_000), pairs };
}

/** Both hosts answer all routes alike, by payloads of these generations. */
export function soundEvidence(
  old: UpgradePayload['generation'],
  upgraded: UpgradePayload['generation'],
): UpgradeEvidence {
  const text = body(element(FEED_A), element(FEED_B));
  const directory = JSON.stringify([
    { id: FEED_A, attributes: {} },
    { id: FEED_B, attributes: {} },
  ]);
  return evidenceOf(
    pairOf('latest', answered(text, old), answered(text, upgraded)),
    pairOf('at-time', answered(text, old), answered(text, upgraded)),
    pairOf('directory', answered(directory, 'none'), answered(directory, 'none')),
    pairOf('stream', answered(text, old), answered(text, upgraded)),
  );
}

import type { FeedId, FeedUpdate } from './feed';
import { comparePrices, type PriceComparison } from './price-comparison';
import { compareScaled, type ScaledInteger } from './scaled-number';

/** The members of an update in which the hosts can differ. */
export type PriceMember = 'price' | 'confidence' | 'exponent' | 'EMA price' | 'EMA confidence';

/**
 * How two hosts agree about a feed. `equal`: the same update, to the digit. `within`: the same moment, and the prices are
 * apart by no more than the combined confidence. `beyond`: by more. `other-moment`: they published at different moments, so
 * that a difference says nothing about the hosts.
 */
export type FeedAgreement = {
  readonly id: FeedId;
  readonly standing: 'equal' | 'within' | 'beyond' | 'other-moment';
  readonly old: FeedUpdate;
  readonly upgraded: FeedUpdate;
  /** Seconds by which the upgraded host's update was published later. */
  readonly laterS: number;
  /** Upgraded minus old. */
  readonly prices: PriceComparison;
  readonly differing: readonly PriceMember[];
};

/**
 * Compares the updates of one feed from both hosts.
 * @param sameness `of the second`: the first updates of one second are the same ones. `of the slot`: a second may hold
 * several updates, so where both tell their slot it has to be the same too.
 */
export function feedAgreement(
  old: FeedUpdate,
  upgraded: FeedUpdate,
  sameness: 'of the second' | 'of the slot',
): FeedAgreement {
  const prices = comparePrices(upgraded, old);
  const differing = differingMembers(old, upgraded);
  const slotsDiffer = old.slot !== undefined && upgraded.slot !== undefined && old.slot !== upgraded.slot;
  const otherMoment = old.publishTime !== upgraded.publishTime || (sameness === 'of the slot' && slotsDiffer);
  const standing = otherMoment ? 'other-moment' : differing.length === 0 ? 'equal' : sameMoment(prices);
  const laterS = upgraded.publishTime - old.publishTime;
  return { id: old.id, standing, old, upgraded, laterS, prices, differing };
}

/** Where only the confidence, the exponent or the average differ, the price itself is well within. */
function sameMoment({ verdict }: PriceComparison): 'within' | 'beyond' {
  return verdict === 'beyond' ? 'beyond' : 'within';
}

function differingMembers(old: FeedUpdate, upgraded: FeedUpdate): PriceMember[] {
  const members: [PriceMember, boolean][] = [
    ['price', compareScaled(old.price, upgraded.price) === 0],
    ['confidence', compareScaled(old.conf, upgraded.conf) === 0],
    ['exponent', old.price.expo === upgraded.price.expo],
    ['EMA price', sameWhereTold(old.ema?.price, upgraded.ema?.price)],
    ['EMA confidence', sameWhereTold(old.ema?.conf, upgraded.ema?.conf)],
  ];
  return members.flatMap(([name, same]) => (same ? [] : [name]));
}

/** A moving average that one host leaves out is a matter of shape. */
function sameWhereTold(old: ScaledInteger | undefined, upgraded: ScaledInteger | undefined): boolean {
  return old === undefined || upgraded === undefined || compareScaled(old, upgraded) === 0;
}

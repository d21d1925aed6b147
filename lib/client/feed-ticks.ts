import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import type { FeedTick } from '@/lib/domain/feed-tick';
import type { ScaledInteger } from '@/lib/domain/scaled-number';
import type { FeedPoint } from './feed-history';

/** An update of the stream with its texts read. @param heardMs when this browser received it, where it was pushed */
export function tickOf(update: CompactFeed, heardMs?: number): FeedTick {
  const scaled = (mantissa: string, expo: number): ScaledInteger => ({ mantissa: BigInt(mantissa), expo });
  const emaExpo = update.ee ?? update.e;
  return {
    price: scaled(update.p, update.e),
    conf: scaled(update.c, update.e),
    ema: update.ep === undefined ? undefined : scaled(update.ep, emaExpo),
    emaConf: update.ec === undefined ? undefined : scaled(update.ec, emaExpo),
    publishS: update.t,
    prevPublishS: update.pp,
    proofS: update.pa,
    slot: update.s,
    serverMs: update.r,
    browserMs: heardMs,
    filled: update.f === 1 ? 'yes' : undefined,
  };
}

/** The updates behind the points of a chart, oldest first. Points of drawings without a service have none. */
export function ticksOf(points: readonly FeedPoint[]): FeedTick[] {
  return points.flatMap(({ update, heardMs }) => (update === undefined ? [] : tickOf(update, heardMs)));
}

import * as z from 'zod/mini';
import type { ScaledInteger } from '@/lib/core/numbers';
import { MISDATINGS, type Misdating } from './publish-clock';

const digits = z.string().check(z.regex(/^-?\d+$/));

/**
 * One price of one feed on the wire; the reader converts it to a `PriceUpdate`. Numbers that may exceed 2^53 are
 * decimal text, to be scaled by `10 ** e`.
 */
export const compactFeed = z.object({
  /** Feed id: 64 lower-case hex digits. */
  id: z.string(),
  /** Mantissas of price and confidence, and their exponent, which may be positive. */
  p: digits,
  c: digits,
  e: z.int(),
  /** Publish time, unix seconds. */
  t: z.number(),
  /**
   * Mantissas of EMA price and confidence, and their exponent if it differs from `e`. Absent if the service sent none.
   */
  ep: z.optional(digits),
  ec: z.optional(digits),
  ee: z.optional(z.int()),
  /** Time at which our server received it, unix milliseconds. */
  r: z.number(),
  /** Publish time of the previous update and time of the proof, unix seconds; slot. */
  pp: z.optional(z.number()),
  pa: z.optional(z.number()),
  s: z.optional(digits),
  /**
   * Set for a backfilled update: it was requested by time, so it is the first update of its second. Never sent in the
   * stream.
   */
  f: z.optional(z.literal(1)),
  /**
   * Set for a misdated update: its publish time is wrong, so it has no place in the order. `t` is in seconds
   * nevertheless.
   */
  x: z.optional(z.enum(MISDATINGS)),
});
export type CompactFeed = z.infer<typeof compactFeed>;

/** A price update of a feed in the browser. It is decoded once from `CompactFeed` and shared by all that draw it. */
export type PriceUpdate = {
  /** Feed id: 64 lower-case hex digits. */
  readonly id: string;
  readonly price: ScaledInteger;
  /** Half the width of the confidence interval. */
  readonly conf: ScaledInteger;
  /** Exponential moving average; absent if the service sent none. */
  readonly ema?: ScaledInteger | undefined;
  readonly emaConf?: ScaledInteger | undefined;
  /** Whole unix seconds. Several updates may have the same. */
  readonly publishTimeS: number;
  /** Publish time of the previous update, and time of the proof, unix seconds. */
  readonly prevPublishTimeS?: number | undefined;
  readonly proofAtS?: number | undefined;
  readonly slot?: string | undefined;
  /** Time at which our server received it, unix milliseconds. */
  readonly receivedMs: number;
  /**
   * True if the update was requested later by time. It is then the first update of its second, and was not received
   * when it was published.
   */
  readonly isBackfilled: boolean;
  /** Error in the publish time. A misdated update has no place in the order. */
  readonly misdating?: Misdating | undefined;
};

export function decodeUpdate({ p, c, e, ep, ec, ee = e, ...wire }: CompactFeed): PriceUpdate {
  return {
    id: wire.id,
    price: { mantissa: BigInt(p), expo: e },
    conf: { mantissa: BigInt(c), expo: e },
    ema: ep === undefined ? undefined : { mantissa: BigInt(ep), expo: ee },
    emaConf: ec === undefined ? undefined : { mantissa: BigInt(ec), expo: ee },
    publishTimeS: wire.t,
    prevPublishTimeS: wire.pp,
    proofAtS: wire.pa,
    slot: wire.s,
    receivedMs: wire.r,
    isBackfilled: wire.f === 1,
    misdating: wire.x,
  };
}

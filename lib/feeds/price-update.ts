import * as z from 'zod/mini';
import type { ScaledInteger } from '@/lib/core/numbers';
import { MISDATINGS, type Misdating } from './publish-clock';

const digits = z.string().check(z.regex(/^-?\d+$/));

/** Wire form of a `PriceUpdate`. Numbers that may exceed 2^53 are decimal text, to be scaled by `10 ** e`. */
export const compactFeed = z.object({
  /** 64 lower-case hex digits. */
  id: z.string(),
  /** Mantissas of price and confidence; their exponent may be positive. */
  p: digits,
  c: digits,
  e: z.int(),
  /** Publish time, unix seconds. */
  t: z.number(),
  /** EMA price and confidence, and their exponent if it differs from `e`. Absent if the service sent none. */
  ep: z.optional(digits),
  ec: z.optional(digits),
  ee: z.optional(z.int()),
  /** Receipt by our server, unix ms. */
  r: z.number(),
  /** Publish time of the previous update and time of the proof, unix seconds; slot. */
  pp: z.optional(z.number()),
  pa: z.optional(z.number()),
  s: z.optional(digits),
  /** Backfilled: requested by time, so the first update of its second. Never sent in the stream. */
  f: z.optional(z.literal(1)),
  /** Misdated: without a place in the order, because `t` (in seconds nevertheless) is wrong. */
  x: z.optional(z.enum(MISDATINGS)),
});
export type CompactFeed = z.infer<typeof compactFeed>;

/** Decoded once from `CompactFeed` and shared by all that draw it. */
export type PriceUpdate = {
  /** 64 lower-case hex digits. */
  readonly id: string;
  readonly price: ScaledInteger;
  /** Half the width of the confidence interval. */
  readonly conf: ScaledInteger;
  /** Absent if the service sent none. */
  readonly ema?: ScaledInteger | undefined;
  readonly emaConf?: ScaledInteger | undefined;
  /** Whole unix seconds. Several updates may have the same. */
  readonly publishTimeS: number;
  /** Previous update, and proof: unix seconds. */
  readonly prevPublishTimeS?: number | undefined;
  readonly proofAtS?: number | undefined;
  readonly slot?: string | undefined;
  /** Receipt by our server, unix ms. */
  readonly receivedMs: number;
  /** True if it was requested later by time: the first update of its second, not received when it was published. */
  readonly isBackfilled: boolean;
  /** A misdated update has no place in the order. */
  readonly misdating?: Misdating | undefined;
};

export function decodeCompactUpdate({ p, c, e, ep, ec, ee = e, ...wire }: CompactFeed): PriceUpdate {
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

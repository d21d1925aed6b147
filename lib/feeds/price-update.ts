import type { ScaledInteger } from '@/lib/core/numbers';
import type { Misdating } from './publish-clock';
import type { CompactFeed } from './stream-events';

/** Price update of a feed as the browser has it: decoded once from the wire (`CompactFeed`), and shared by all that draw it. */
export type PriceUpdate = {
  /** Feed id: 64 lower-case hex digits. */
  readonly id: string;
  readonly price: ScaledInteger;
  /** Half the width of the confidence interval. */
  readonly conf: ScaledInteger;
  /** Exponential moving average; absent where the service sent none. */
  readonly ema?: ScaledInteger | undefined;
  readonly emaConf?: ScaledInteger | undefined;
  /** Unix seconds, whole: several updates may have the same. */
  readonly publishTimeS: number;
  /** Publish time of the update before this one, and time of the proof, unix seconds. */
  readonly prevPublishTimeS?: number | undefined;
  readonly proofAtS?: number | undefined;
  readonly slot?: string | undefined;
  /** When our server received it, unix milliseconds. */
  readonly receivedMs: number;
  /** Requested later by time, so it is the first update of its second, and was not received when it was published. */
  readonly isBackfilled: boolean;
  /** What is wrong with the publish time; such an update has no place in the order. */
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

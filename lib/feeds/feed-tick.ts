import type { ScaledInteger } from '@/lib/core/numbers';

/**
 * One update of one feed with all that is known of its way to us. Publish and proof times are whole seconds (the
 * service rounds down), ours are milliseconds, and each is by the clock of the machine that wrote it.
 */
export type FeedTick = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  readonly ema?: ScaledInteger;
  readonly emaConf?: ScaledInteger;
  /** Unix seconds. */
  readonly publishS: number;
  /** When the update before this one was published, whether we have it or not; unix seconds. */
  readonly prevPublishS?: number;
  /** Unix seconds. */
  readonly proofS?: number;
  /** Decimal digits. */
  readonly slot?: string;
  /** When our server received it, unix milliseconds. */
  readonly serverMs: number;
  /** When this browser received it, unix milliseconds; absent where it was not pushed but fetched. */
  readonly browserMs?: number;
  /** Asked for afterwards by its time: the first update of its second, the others of that second are lost. */
  readonly filled?: boolean;
};

/** What is needed of an update to tell where some are missing. */
export type TickTimes = Pick<FeedTick, 'publishS' | 'prevPublishS'>;

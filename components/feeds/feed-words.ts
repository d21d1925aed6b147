import type { CompactFeed } from '@/lib/contract/codec/feed-stream';
import { assertNever } from '@/lib/domain/assert-never';
import type { FeedCurrency } from '@/lib/domain/feed-cadence';
import {
  addScaled,
  differenceInBps,
  formatScaled,
  roundScaled,
  type ScaledInteger,
} from '@/lib/domain/scaled-number';

/** The numbers of an update, still exact. */
export type FeedNumbers = {
  readonly price: ScaledInteger;
  readonly conf: ScaledInteger;
  readonly ema?: { readonly price: ScaledInteger; readonly conf?: ScaledInteger };
};

/** An update of the stream with its texts read as scaled integers. */
export function feedNumbersOf(update: CompactFeed): FeedNumbers {
  const scaled = (mantissa: string, expo: number): ScaledInteger => ({ mantissa: BigInt(mantissa), expo });
  const emaExpo = update.ee ?? update.e;
  return {
    price: scaled(update.p, update.e),
    conf: scaled(update.c, update.e),
    ema:
      update.ep === undefined
        ? undefined
        : {
            price: scaled(update.ep, emaExpo),
            conf: update.ec === undefined ? undefined : scaled(update.ec, emaExpo),
          },
  };
}

/** Confidence relative to the price in basis points, `2.41 bp`; undefined for a price of zero. */
export function confidenceInBps({ price, conf }: FeedNumbers): string | undefined {
  const bps = differenceInBps(addScaled(price, conf), price);
  return bps === undefined ? undefined : `${formatScaled(bps)} bp`;
}

/** The move from one price to another, `+0.12 %`, with the direction as a word for styles; undefined from a price of zero. */
export function moveText(
  from: ScaledInteger,
  to: ScaledInteger,
): { readonly text: string; readonly direction: 'up' | 'down' | 'level' } | undefined {
  const bps = differenceInBps(to, from);
  if (bps === undefined) {
    return undefined;
  }
  const percent = roundScaled({ mantissa: bps.mantissa, expo: bps.expo - 2 }, 2);
  const direction = percent.mantissa > 0n ? 'up' : percent.mantissa < 0n ? 'down' : 'level';
  return { text: `${direction === 'up' ? '+' : ''}${formatScaled(percent)} %`, direction };
}

/** How current a feed is, in a word. */
export function currencyWord(word: FeedCurrency['word']): string {
  switch (word) {
    case 'fresh':
      return 'Current';
    case 'late':
      return 'Late';
    case 'stale':
      return 'Stale';
    case 'closed':
      return 'Market closed';
    case 'inactive':
      return 'Not published';
    default:
      return assertNever(word);
  }
}

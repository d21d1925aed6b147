import 'server-only';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { withoutTrailingZeros } from '@/lib/domain/digit-text';
import type { WireTime } from '@/lib/domain/request-record';
import { formatIsoMillis, isoTimeInUtc, isUsualTime, type UnixMillis } from '@/lib/domain/units';

/**
 * A creation time as text that sorts by time: UTC to the second, then every digit of the fraction without the zeros at
 * its end. Comparing milliseconds would give rows of one burst the order of chance.
 */
export type Moment = string;

/** Later than every moment: rows of unknown time at the beginning of a list stand before all others. */
export const FIRST: Moment = '~';

/** The moment of an ISO time that `parseIsoTime` reads. */
export function momentOf(iso: string): Moment {
  const utc = isUsualTime(iso) ? iso : (isoTimeInUtc(iso) ?? iso);
  const text = utc.slice(0, -1);
  const [whole = '', fraction = ''] = text.split('.');
  const digits = withoutTrailingZeros(fraction);
  return digits === '' ? whole : `${whole}.${digits}`;
}

export function momentOfMillis(ms: UnixMillis): Moment {
  return momentOf(formatIsoMillis(ms));
}

/** The ISO time of a moment of a row. */
export function isoOfMoment(moment: Moment): string {
  return `${moment}Z`;
}

/** The time in unix milliseconds, rounded up: a bound that lets the row itself in. */
export function millisAfter({ text, ms }: WireTime): number {
  return ms + (/[.,]\d{3}0*[1-9]/.test(text) ? 1 : 0);
}

/** A row in its place within the list of one part. */
export type PlacedRow = {
  row: ListedRow;
  /** Of a row that can't be read: that of the row before it. */
  moment: Moment;
  /** From 0, in the part's list as it was when it was asked for. */
  index: number;
};

/**
 * Rows of one part, in the service's order, in their places.
 * @param start the index of the first
 * @param before the moment of the row before the first
 */
export function placeRows(rows: readonly ListedRow[], start: number, before: Moment = FIRST): PlacedRow[] {
  let moment = before;
  return rows.map((row, at) => {
    if (row.kind === 'record') moment = momentOf(row.createdAt.text);
    return { row, moment, index: start + at };
  });
}

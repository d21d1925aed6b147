import 'server-only';
import type { ListingAnswer } from '@/lib/contract/codec/listing';

/** A listing as JSON text, each row as its service wrote it: no digit goes through a float. */
export function writeListing({ rows, ...rest }: ListingAnswer): string {
  const texts = rows.map(({ keeper, rawJson }) => `{"keeper":${JSON.stringify(keeper)},"row":${rawJson}}`);
  return `{"rows":[${texts.join(',')}],${JSON.stringify(rest).slice(1)}`;
}

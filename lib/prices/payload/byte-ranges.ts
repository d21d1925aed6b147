import type { DecodedUpdate } from './decode';

/** Byte offsets in the payload; `to` is exclusive. */
export type ByteRange = { readonly from: number; readonly to: number };

/** The smallest decoded parts, in order. Together they are the whole payload. */
export function byteRanges({ bytes, offsets }: Pick<DecodedUpdate, 'bytes' | 'offsets'>): ByteRange[] {
  const starts = [...new Set([0, ...offsets.values()])].sort((a, b) => a - b);
  return starts.flatMap((from, at) => {
    const to = starts[at + 1] ?? bytes.length;
    return from < to ? { from, to } : [];
  });
}

export function rangeAt(ranges: readonly ByteRange[], offset: number | undefined): ByteRange | undefined {
  return ranges.find(({ from }) => from === offset);
}

/** Members of the parsed form that the payload has only once. */
const SHARED: Readonly<Record<string, string>> = {
  'EMA exponent': 'exponent',
  'EMA publish time': 'publish time',
};

/** The part that holds a member of a message, by the names of `offsets`. @param place such as `of update 1 of 2` */
export function partOfMember(member: string, place: string): string {
  if (member === 'Slot') return 'slot';
  const part = SHARED[member] ?? (member.startsWith('EMA') ? member : member.toLowerCase());
  return `${part} ${place}`;
}

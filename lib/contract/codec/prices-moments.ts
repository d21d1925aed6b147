import { type UnixMicros, unixMicros } from '@/lib/domain/units';
import { formatIsoMicros, parseIsoMicros, parseSecondsText } from '@/lib/domain/unix-micros';

/** A moment of a lookup, or several at even distances, both ends among them where the step meets them. */
export type MomentToken =
  | { readonly kind: 'one'; readonly us: UnixMicros }
  | {
      readonly kind: 'series';
      readonly fromUs: UnixMicros;
      readonly toUs: UnixMicros;
      /** Whole seconds, 1 or more. */
      readonly everyS: number;
    };

/** Moments of one lookup at most. */
export const MOST_MOMENTS = 500;

const MICROS = 1_000_000n;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

const FORM =
  'A moment is an ISO time like 2026-11-20T12:00:00Z or unix seconds like 1795176000, both with up to six decimals.';
const SERIES_FORM = 'A series is written from/to/step, like 2026-11-20T12:00:00Z/2026-11-20T13:00:00Z/60s.';

/** One moment: an ISO time (UTC where it names no zone) or unix seconds. Never microseconds without a point. */
export function parseMoment(text: string): UnixMicros | undefined {
  return parseSecondsText(text) ?? parseIsoMicros(text);
}

/** Reads a moment, or a series `from/to/step`; else what is wrong. */
export function parseMomentToken(text: string): MomentToken | { problem: string } {
  const parts = text.split('/');
  if (parts.length === 1) {
    const us = parseMoment(text);
    return us === undefined ? { problem: FORM } : { kind: 'one', us };
  }
  const [from = '', to = '', step = '', ...rest] = parts;
  const fromUs = parseMoment(from);
  const toUs = parseMoment(to);
  const [, digits, unit = 's'] = /^(\d{1,6})([smhd])?$/.exec(step) ?? [];
  const everyS = Number(digits ?? 0) * (UNITS[unit] ?? 0);
  if (fromUs === undefined || toUs === undefined || everyS === 0 || rest.length > 0) {
    return { problem: SERIES_FORM };
  }
  if (toUs < fromUs) return { problem: 'The series ends before it begins.' };
  return { kind: 'series', fromUs, toUs, everyS };
}

/** The text of a token, the same for the same moments. */
export function momentTokenText(token: MomentToken): string {
  if (token.kind === 'one') return formatIsoMicros(token.us);
  return `${formatIsoMicros(token.fromUs)}/${formatIsoMicros(token.toUs)}/${token.everyS}s`;
}

/** The moments of some tokens, each once, in order of appearance; `left`: how many there were beyond the most. */
export function momentsOf(tokens: readonly MomentToken[]): { moments: UnixMicros[]; left: bigint } {
  const moments = new Set<UnixMicros>();
  let left = 0n;
  const put = (us: UnixMicros) => {
    if (moments.has(us)) return;
    if (moments.size < MOST_MOMENTS) moments.add(us);
    else left += 1n;
  };
  for (const token of tokens) {
    if (token.kind === 'one') put(token.us);
    else {
      const step = BigInt(token.everyS) * MICROS;
      const count = (token.toUs - token.fromUs) / step + 1n;
      // A series of years by seconds is counted, not walked.
      const walked = count > BigInt(MOST_MOMENTS) ? BigInt(MOST_MOMENTS) : count;
      for (let n = 0n; n < walked; n += 1n) put(unixMicros(token.fromUs + n * step));
      left += count - walked;
    }
  }
  return { moments: [...moments], left };
}

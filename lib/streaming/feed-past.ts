import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { FeedUpdate } from '@/lib/domain/feed';
import type { ScaledInteger } from '@/lib/domain/scaled-number';
import type { Timers } from './timers';

/** How long an update is remembered. */
export const PAST_MS = 30 * 60_000;
/**
 * All feeds together, packed. Half an hour of a feed with 2.5 updates a second takes about 250 kB, so a board of 60 feeds
 * fits four times. At the bound the oldest part of all feeds goes, whichever feed it is of: the window gets shorter
 * for all alike.
 */
export const MAX_PAST_BYTES = 64_000_000;
/** Updates packed together; about 25 s of a busy feed. */
const PACKED = 64;
/** The fastest level is enough: what repeats are whole member names. */
const LEVEL = { level: 1 } as const;

/** One remembered update: its figures for order and thinning, and its encoded text. */
export type PastUpdate = { publishS: number; mantissa: string; expo: number; text: string };

type Part = { bytes: number; lastMs: number; lastS: number; packed: Uint8Array };

/** The exact price of a remembered update. */
export function priceOf({ mantissa, expo }: PastUpdate): ScaledInteger {
  return { mantissa: BigInt(mantissa), expo };
}

/** What the pasts of all feeds may take together. */
export class PastBudget {
  readonly #pasts = new Set<FeedPast>();
  #bytes = 0;

  constructor(
    readonly timers: Timers,
    private readonly maxBytes: number = MAX_PAST_BYTES,
  ) {}

  /** Bytes that are remembered now. */
  get bytes(): number {
    return this.#bytes;
  }

  join(past: FeedPast): void {
    this.#pasts.add(past);
  }

  leave(past: FeedPast): void {
    this.#pasts.delete(past);
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    while (this.#bytes > this.maxBytes) {
      const all = [...this.#pasts].filter(({ oldestMs }) => Number.isFinite(oldestMs));
      const oldest = all.reduce<FeedPast | undefined>(
        (least, one) => (least && least.oldestMs <= one.oldestMs ? least : one),
        undefined,
      );
      if (!oldest) return;
      oldest.dropOldest();
    }
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The last half an hour of one feed, packed. Updates that were filled in afterwards stand in their place by time. */
export class FeedPast {
  #parts: Part[] = [];
  #open: string[] = [];
  #openBytes = 0;
  #openLastS = 0;
  /** Filled in afterwards; few, and not in order. */
  #filled: { publishS: number; line: string }[] = [];
  #sinceS: number | undefined;

  constructor(private readonly budget: PastBudget) {
    budget.join(this);
  }

  /** From this unix second on everything that our server received is here; undefined before the first stream stood. */
  get completeSinceS(): number | undefined {
    return this.#sinceS;
  }

  /** When the oldest part that can be dropped came, unix milliseconds; not finite when there is none. */
  get oldestMs(): number {
    const [part] = this.#parts;
    const [filled] = this.#filled;
    return Math.min(
      part?.lastMs ?? Number.POSITIVE_INFINITY,
      (filled?.publishS ?? Number.POSITIVE_INFINITY) * 1000,
    );
  }

  /** A stream carries the feed from now on. */
  begin(nowMs: number): void {
    this.#sinceS ??= Math.ceil(nowMs / 1000);
  }

  add(update: FeedUpdate, text: string): void {
    const line = lineOf(update, text);
    this.#open.push(line);
    this.#openBytes += line.length;
    this.#openLastS = Math.max(this.#openLastS, update.publishTime);
    this.budget.take(line.length);
    if (this.#open.length >= PACKED) this.#pack();
    this.#forgetOld();
  }

  /** An update that was missed. Gives false when it is known already. */
  fill(update: FeedUpdate, text: string): boolean {
    if (this.#filled.some(({ publishS }) => publishS === update.publishTime)) return false;
    const line = lineOf(update, text);
    const after = this.#filled.findIndex(({ publishS }) => publishS > update.publishTime);
    this.#filled.splice(after < 0 ? this.#filled.length : after, 0, { publishS: update.publishTime, line });
    this.budget.take(line.length);
    return true;
  }

  /** The remembered updates from this unix second on, by publish time, oldest first; of one second as they came. */
  from(fromS: number): PastUpdate[] {
    this.#forgetOld();
    const parts = this.#parts.filter(({ lastS }) => lastS >= fromS);
    const lines = [...parts.flatMap(({ packed }) => unpacked(packed)), ...this.#open];
    const filled = this.#filled.map(({ line }) => line);
    // Filled ones first: each is the first of its second. The sort is stable.
    const updates = [...filled, ...lines].map(updateOf).filter(({ publishS }) => publishS >= fromS);
    return updates.sort((a, b) => a.publishS - b.publishS);
  }

  /** Frees its oldest part; what is left is complete only after it. */
  dropOldest(): void {
    const [part] = this.#parts;
    const [filled] = this.#filled;
    if (filled && (!part || filled.publishS * 1000 <= part.lastMs)) {
      this.#filled.shift();
      this.budget.give(filled.line.length);
      this.#completeAfter(filled.publishS);
    } else if (part) {
      this.#parts.shift();
      this.budget.give(part.bytes);
      this.#completeAfter(part.lastS);
    }
  }

  /** Frees everything. */
  clear(): void {
    for (const { bytes } of this.#parts) this.budget.give(bytes);
    for (const { line } of this.#filled) this.budget.give(line.length);
    this.budget.give(this.#openBytes);
    this.budget.leave(this);
    this.#parts = [];
    this.#filled = [];
    this.#open = [];
    this.#openBytes = 0;
  }

  #completeAfter(second: number): void {
    if (this.#sinceS !== undefined) this.#sinceS = Math.max(this.#sinceS, second + 1);
  }

  #pack(): void {
    // A text of ASCII: every character is one byte.
    // Copied, because the packer's own answer holds a whole buffer of 16 kB.
    const packed = new Uint8Array(deflateRawSync(Buffer.from(this.#open.join('\n')), LEVEL));
    this.#parts.push({
      bytes: packed.byteLength,
      lastMs: this.budget.timers.now(),
      lastS: this.#openLastS,
      packed,
    });
    this.budget.give(this.#openBytes);
    this.budget.take(packed.byteLength);
    this.#open = [];
    this.#openBytes = 0;
    this.#openLastS = 0;
  }

  #forgetOld(): void {
    const oldestMs = this.budget.timers.now() - PAST_MS;
    while (this.oldestMs < oldestMs) this.dropOldest();
  }
}

function lineOf({ publishTime, price }: FeedUpdate, text: string): string {
  return `${publishTime} ${price.mantissa} ${price.expo} ${text}`;
}

function updateOf(line: string): PastUpdate {
  const [publishS = '', mantissa = '', expo = ''] = line.split(' ', 3);
  const head = publishS.length + mantissa.length + expo.length + 3;
  return { publishS: Number(publishS), mantissa, expo: Number(expo), text: line.slice(head) };
}

function unpacked(packed: Uint8Array): string[] {
  return inflateRawSync(packed).toString().split('\n');
}

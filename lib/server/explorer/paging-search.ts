import 'server-only';
import { type Outcome, ok } from '@/lib/domain/outcome';

/** A moment (unix milliseconds) and how many rows were created then or later. */
export type Counted = { ms: number; count: number };

export type MomentSearch = {
  /** The rank that is looked for: how many rows should stand before. */
  target: number;
  /** How many fewer rows than that will do. */
  slack: number;
  /** A moment that no row is younger than, with its count: no more than `target`. */
  newest: Counted;
  /** A moment whose count exceeds `target`. Both counts may be estimates. */
  oldest: Counted;
  /** Where to look first. */
  guess?: number;
  /** Counts the rows of all parts created at this moment or later. */
  count: (ms: number) => Promise<Outcome<number>>;
};

/** More rounds than halving a century down to a millisecond takes, twice. */
const MOST_ROUNDS = 100;

/**
 * The moment whose count lies at most `slack` below the target; where a single millisecond holds more rows than that,
 * the one right after it. Looks where the target would lie if rows were spread evenly, and halves the time that is left
 * whenever that did not help, so that no spread of rows takes more than twice the rounds of halving alone.
 */
export async function findMoment(search: MomentSearch): Promise<Outcome<Counted>> {
  const { target, slack, count } = search;
  const bracket = new Bracket(search);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const near = target - bracket.newest.count <= slack;
    if (bracket.newestKnown && (near || (bracket.isTight && bracket.oldestKnown))) break;
    const ms = near || bracket.isTight ? bracket.unknownEnd : bracket.inside(search, round);
    const counted = await count(ms);
    if (!counted.ok) return counted;
    bracket.narrow({ ms, count: counted.value }, target);
  }
  return ok(bracket.newest);
}

/** Two moments with the one that is looked for between them. */
class Bracket {
  newest: Counted;
  oldest: Counted;
  newestKnown = false;
  oldestKnown = false;
  #halve = false;
  #reach: number;

  constructor({ newest, oldest }: Pick<MomentSearch, 'newest' | 'oldest'>) {
    this.newest = { ...newest, ms: Math.max(newest.ms, oldest.ms + 1) };
    this.oldest = oldest;
    this.#reach = this.newest.ms - oldest.ms;
  }

  get isTight(): boolean {
    return this.newest.ms - this.oldest.ms <= 1;
  }

  /** An end that was estimated only. */
  get unknownEnd(): number {
    return this.newestKnown ? this.oldest.ms : this.newest.ms;
  }

  inside({ target, slack, guess }: MomentSearch, round: number): number {
    const { newest, oldest } = this;
    const span = newest.ms - oldest.ms;
    const aim = target - slack / 2;
    const share = (aim - newest.count) / Math.max(1, oldest.count - newest.count);
    const even = newest.ms - span * Math.min(1, Math.max(0, share));
    const wanted = round === 0 && guess !== undefined ? guess : this.#halve ? newest.ms - span / 2 : even;
    return Math.min(newest.ms - 1, Math.max(oldest.ms + 1, Math.round(wanted)));
  }

  /** An end that turns out to lie on the wrong side moves outwards, twice as far each time. */
  narrow(found: Counted, target: number): void {
    const span = this.newest.ms - this.oldest.ms;
    if (found.count > target) {
      if (found.ms >= this.newest.ms) {
        this.newest = { ms: found.ms + this.#further(), count: 0 };
        this.newestKnown = false;
      }
      this.oldest = found;
      this.oldestKnown = true;
    } else {
      if (found.ms <= this.oldest.ms) {
        this.oldest = { ms: found.ms - this.#further(), count: target + 1 };
        this.oldestKnown = false;
      }
      this.newest = found;
      this.newestKnown = true;
    }
    this.#halve = (this.newest.ms - this.oldest.ms) * 2 > span;
  }

  #further(): number {
    this.#reach *= 2;
    return this.#reach;
  }
}

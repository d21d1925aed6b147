/**
 * What an answer holds that the contract does not know. `unknown-state`: a state without a name in it.
 * `unreadable-row`: a row without the members that make it one. `extra-member`: a member that it does not name.
 * `odd-value`: a member that it names, with a value that cannot be read.
 */
export const SURPRISE_KINDS = ['unknown-state', 'unreadable-row', 'extra-member', 'odd-value'] as const;

export type SurpriseKind = (typeof SURPRISE_KINDS)[number];

/** One of them, as it was met. */
export type Sighting = {
  kind: SurpriseKind;
  /** Which: the state's wire name, what is wrong with the row, or the path of the member. */
  name: string;
  /** JSON text of the row or member. */
  example: string;
};

/** All sightings of one kind and name; the example is the first one. Times are unix milliseconds. */
export type Surprise = Sighting & { count: number; firstAtMs: number; lastAtMs: number };

export type SurpriseReport = {
  /** The latest first, at most `MOST_NAMES` of each kind. */
  surprises: Surprise[];
  /** Sightings of other names, for which there was no room. */
  others: Record<SurpriseKind, number>;
};

/** A service that invents a name per row fills no more than this, of each kind; the rest is only counted. */
export const MOST_NAMES = 25;
export const MOST_NAME_CHARACTERS = 120;
export const MOST_EXAMPLE_CHARACTERS = 2000;

/**
 * Counts the surprises of one service host. Bounded to some 400 kB whatever the service sends. A row that is
 * read again is counted again: a count says how often it was met, not how many rows there are.
 */
export class SchemaSurprises {
  readonly #known = new Map<SurpriseKind, Map<string, Surprise>>(
    SURPRISE_KINDS.map((kind) => [kind, new Map<string, Surprise>()]),
  );
  readonly #others: Record<SurpriseKind, number> = noOthers();

  /** @param now unix milliseconds */
  constructor(private readonly now: () => number) {}

  note(sightings: Iterable<Sighting>): void {
    for (const sighting of sightings) this.#add(sighting);
  }

  read(): SurpriseReport {
    const surprises = [...this.#known.values()].flatMap((names) => [...names.values()]);
    surprises.sort((one, other) => other.lastAtMs - one.lastAtMs);
    return { surprises: surprises.map((one) => ({ ...one })), others: { ...this.#others } };
  }

  #add({ kind, name: wholeName, example }: Sighting): void {
    const name = wholeName.slice(0, MOST_NAME_CHARACTERS);
    const names = this.#known.get(kind);
    const known = names?.get(name);
    const atMs = this.now();
    if (known) {
      known.count += 1;
      known.lastAtMs = atMs;
    } else if (names && names.size < MOST_NAMES) {
      const kept = { kind, name: ownText(name), example: ownText(example, MOST_EXAMPLE_CHARACTERS) };
      names.set(kept.name, { ...kept, count: 1, firstAtMs: atMs, lastAtMs: atMs });
    } else this.#others[kind] += 1;
  }
}

function noOthers(): Record<SurpriseKind, number> {
  return { 'unknown-state': 0, 'unreadable-row': 0, 'extra-member': 0, 'odd-value': 0 };
}

/** A text of its own: a part of a text keeps the whole of it in memory, which may be a megabyte. */
function ownText(text: string, max = text.length): string {
  const part = text.length > max ? `${text.slice(0, max)}…` : text;
  return JSON.parse(JSON.stringify(part)) as string;
}

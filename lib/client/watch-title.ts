/** The part of a document that the badge needs. */
export type TitleEdges = {
  readonly read: () => string;
  readonly write: (title: string) => void;
  /** Whether somebody looks at the page. */
  readonly isLookedAt: () => boolean;
};

/**
 * Counts in the title what has happened while nobody looked: `(2) Pending`. Whoever looks finds the title as it was. A page
 * that writes another title meanwhile keeps it.
 */
export class TitleBadge {
  readonly #edges: TitleEdges;
  #count = 0;

  constructor(edges: TitleEdges) {
    this.#edges = edges;
  }

  add(count: number): void {
    if (count === 0 || this.#edges.isLookedAt()) return;
    const title = this.#plain();
    this.#count += count;
    this.#edges.write(`(${this.#count}) ${title}`);
  }

  /** To be called when the page may have come into view. */
  look(): void {
    if (this.#count === 0 || !this.#edges.isLookedAt()) return;
    const title = this.#plain();
    this.#count = 0;
    this.#edges.write(title);
  }

  /** The title without what was written in front of it here. */
  #plain(): string {
    const title = this.#edges.read();
    const badge = `(${this.#count}) `;
    return this.#count > 0 && title.startsWith(badge) ? title.slice(badge.length) : title;
  }
}

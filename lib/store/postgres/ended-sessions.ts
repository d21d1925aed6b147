import 'server-only';
import type { Connections } from './connections';

/** Sessions that somebody ended at any instance: none of their tokens is taken by the others either. */
export class EndedSessions {
  /** By session id, until when (unix seconds) its tokens could be good. */
  readonly known = new Map<string, number>();
  /** Those that the others have not been told of. */
  readonly #untold = new Map<string, number>();

  constructor(private readonly connections: Connections) {}

  /** @throws Error where the others can't be told now; they are told later */
  async add(id: string, untilS: number): Promise<void> {
    this.known.set(id, untilS);
    this.#untold.set(id, untilS);
    await this.#tell();
  }

  async #tell(): Promise<void> {
    for (const entry of this.#untold) {
      await this.connections.ask(
        'insert into ended_sessions values ($1, $2) on conflict (id) do nothing',
        entry,
      );
      this.#untold.delete(entry[0]);
    }
  }

  /** What the others have ended. */
  async read(): Promise<void> {
    // What can't be written now is told the next time.
    await this.#tell().catch(() => undefined);
    const nowS = Math.floor(Date.now() / 1000);
    for (const [id, untilS] of this.known) if (untilS <= nowS) this.known.delete(id);
    const ended = await this.connections.ask<{ id: string; untilS: number }>(
      'select id, until_s as "untilS" from ended_sessions where until_s > $1',
      [nowS],
    );
    for (const { id, untilS } of ended) this.known.set(id, untilS);
  }
}

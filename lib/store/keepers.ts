import 'server-only';
import type { Engine, Session } from './engine';
import { sql } from './sql';

/** A keeper with another address is another keeper, even under the same name. */
export type KeeperAddress = { name: string; baseUrl: string };

export type IndexedKeeper = KeeperAddress & { keeperId: number };

/** Another process may register keepers at the same time, so the result is read again. */
export async function enterKeepers(
  engine: Engine,
  keepers: readonly KeeperAddress[],
): Promise<IndexedKeeper[]> {
  for (let tries = 1; ; tries += 1) {
    const existing = await engine.background.all<IndexedKeeper>(
      'select keeper_id as "keeperId", name, base_url as "baseUrl" from keepers',
    );
    let last = Math.max(0, ...existing.map(({ keeperId }) => keeperId));
    const unknown: IndexedKeeper[] = [];
    const entered = keepers.map(({ name, baseUrl }) => {
      const match = existing.find((keeper) => keeper.name === name && keeper.baseUrl === baseUrl);
      if (match !== undefined) return match;
      last += 1;
      const keeper = { name, baseUrl, keeperId: last };
      unknown.push(keeper);
      return keeper;
    });
    // If nothing can be written yet, the keepers are inserted once writing works.
    if (unknown.length === 0 || !engine.isWritable || tries > keepers.length + 1) return entered;
    await engine.write((session) => insertKeepers(session, unknown));
  }
}

export async function insertKeepers(session: Session, keepers: readonly IndexedKeeper[]): Promise<void> {
  for (const { keeperId, name, baseUrl } of keepers) {
    await session.run(
      sql`insert into keepers values (${keeperId}, ${name}, ${baseUrl}) on conflict (keeper_id) do nothing`,
    );
  }
}

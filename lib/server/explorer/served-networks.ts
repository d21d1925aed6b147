import 'server-only';
import { failed, type Outcome } from '@/lib/domain/outcome';
import { log } from '@/lib/server/log';
import type { UnservedMemory } from './unserved-memory';

const KEPT_MS = 600_000;
/** A keeper without such a list, or in trouble, is asked again after this. */
const FAILURE_KEPT_MS = 60_000;

/** Which networks keepers serve, as far as that is known. */
export type ServedNetworks = {
  /** Ids of the networks that at least one of these keepers serves; undefined where one's are not known. */
  of(keepers: readonly string[]): Promise<string[] | undefined>;
};

export type ServedEdges = {
  /** The keeper's own list. The route that gives it is optional, so any failure only means that it is not known. */
  ask: (keeper: string) => Promise<Outcome<string[]>>;
  memory: Pick<UnservedMemory, 'standing'>;
  /** Ids of the networks to choose from. */
  offered: () => Promise<string[]>;
  /** Unix milliseconds. */
  now: () => number;
};

/**
 * The keeper's own list, asked for at most every ten minutes. Without one: the offered networks, if the keeper has
 * answered or refused every single one of them lately.
 */
export function createServedNetworks(edges: ServedEdges): ServedNetworks {
  const lists = new Map<string, { ids: Promise<string[] | undefined>; untilMs: number }>();

  async function ownList(keeper: string): Promise<string[] | undefined> {
    const list = await edges.ask(keeper).catch(failedByUs);
    const ids = list.ok && list.value.length > 0 ? list.value : undefined;
    const kept = lists.get(keeper);
    if (kept !== undefined) kept.untilMs = edges.now() + (ids === undefined ? FAILURE_KEPT_MS : KEPT_MS);
    return ids;
  }

  function keptList(keeper: string): Promise<string[] | undefined> {
    const kept = lists.get(keeper);
    if (kept !== undefined && kept.untilMs > edges.now()) return kept.ids;
    const entry = {
      ids: Promise.resolve<string[] | undefined>(undefined),
      untilMs: Number.POSITIVE_INFINITY,
    };
    lists.set(keeper, entry);
    entry.ids = ownList(keeper);
    return entry.ids;
  }

  async function fromAnswers(keeper: string): Promise<string[] | undefined> {
    const offered = await edges.offered();
    const known = offered.map((id) => ({ id, standing: edges.memory.standing(keeper, id) }));
    if (known.some(({ standing }) => standing === undefined)) return undefined;
    return known.filter(({ standing }) => standing === 'served').map(({ id }) => id);
  }

  return {
    async of(keepers) {
      const each = await Promise.all(
        keepers.map(async (keeper) => (await keptList(keeper)) ?? (await fromAnswers(keeper))),
      );
      const known = each.filter((ids) => ids !== undefined);
      return known.length < each.length ? undefined : [...new Set(known.flat())];
    },
  };
}

/** An error of ours would stay for good, as a list is asked for again once it has been answered. */
function failedByUs(error: unknown): Outcome<never> {
  log().error({ error }, 'a list of networks met an error of ours');
  return failed({ kind: 'malformed', service: 'logs', detail: 'The list could not be read.' });
}

import 'server-only';
import { type RequestsView, viewNowMs } from '@/lib/requests/view';
import type { IndexStore } from '@/lib/store/store';

/**
 * The moments of a view, unix ms. A keeper was read up to 12:00:00 and it is 12:00:03 now:
 *
 * | view                               | latestMs | rangeEndMs | untilMs  |
 * | ---------------------------------- | -------- | ---------- | -------- |
 * | unpinned                           | 12:00:00 | 12:00:00   | 12:00:00 |
 * | pinned by `asof` at 11:30          | 12:00:00 | 11:30      | 11:30    |
 * | unpinned, after our clock was 1 h ahead | 13:00:00 | 12:00:00 | 12:00:00 |
 */
export type Moments = {
  /** The latest moment that the index can show. An unpinned view is listed as of it, without rows seen later. */
  latestMs: number;
  /** End of relative ranges, such as the last 24 hours; never in the future. */
  rangeEndMs: number;
  /** `asof` of a pinned view, else `rangeEndMs`; later rows are not wanted. */
  untilMs: number;
};

/** The moment of an unpinned view stays the same for this long before the first read of a keeper. */
const MOMENT_STEP_MS = 2000;

/** Keepers of a view, by default all. */
export function viewKeepers({ keepers }: RequestsView, store: IndexStore): readonly string[] {
  return keepers.length === 0 ? store.keepers.map(({ name }) => name) : keepers;
}

export function viewMoments(view: RequestsView, store: IndexStore): Moments {
  const keepers = viewKeepers(view, store);
  const latestMs = store.reads.latestMs(keepers, MOMENT_STEP_MS);
  const asofMs = viewNowMs(view, latestMs);
  const rangeEndMs = store.reads.rangeEndMs(asofMs, keepers);
  return { latestMs, rangeEndMs, untilMs: view.asof === undefined ? rangeEndMs : asofMs };
}

import 'server-only';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import type { IndexStore, StorageKind } from '@/lib/store/store';
import type { ReadMetric } from './metrics-reading';

const STORAGE: readonly StorageKind[] = ['file', 'memory', 'read-only'];

/** How far the index of each keeper reaches and how old it is, and where it lives. */
export function indexMetrics(indexOf: () => IndexStore | undefined): ReadMetric[] {
  const each = (figureOf: (status: KeeperStatus, nowMs: number) => number | undefined) => ({
    labelNames: ['keeper'],
    read: () => {
      const index = indexOf();
      if (index === undefined) return [];
      return index.status().flatMap((status) => {
        const value = figureOf(status, index.now());
        return value === undefined ? [] : [{ labels: { keeper: status.keeper }, value }];
      });
    },
  });
  return [
    {
      name: 'keeperscope_index_rows',
      help: 'Rows of the keeper in the index, those that its service no longer serves among them.',
      ...each(({ rows }) => rows),
    },
    {
      name: 'keeperscope_index_gone_rows',
      help: 'Rows in the index that the service of the keeper no longer serves.',
      ...each(({ gone }) => gone),
    },
    {
      name: 'keeperscope_index_unreadable_rows',
      help: 'Rows of the keeper that can’t be read, kept as they came.',
      ...each(({ unreadable }) => unreadable),
    },
    {
      name: 'keeperscope_index_sync_age_seconds',
      help: 'How long ago the newest rows of the keeper were read; absent before the first time.',
      ...each(({ syncedAtMs }, nowMs) =>
        syncedAtMs === null ? undefined : Math.max(0, nowMs - syncedAtMs) / 1000,
      ),
    },
    {
      name: 'keeperscope_index_history_rows',
      help: 'Rows of the keeper’s history that are read; absent once all are.',
      ...each(({ history }) => history?.done),
    },
    {
      name: 'keeperscope_index_history_expected_rows',
      help: 'Rows of the keeper’s history in all, as its service counts; absent once all are read.',
      ...each(({ history }) => history?.expected),
    },
    {
      name: 'keeperscope_index_audit_difference_rows',
      help: 'Rows in the index less rows that the service counts, at the last comparison; absent before the first.',
      ...each(({ audit }) => (audit === null ? undefined : audit.ours - audit.theirs)),
    },
    {
      name: 'keeperscope_index_storage',
      help: 'Where the index lives: 1 for file, memory (lost at the end of the process) or read-only.',
      labelNames: ['mode'],
      read: () => {
        const index = indexOf();
        if (index === undefined) return [];
        return STORAGE.map((mode) => ({ labels: { mode }, value: Number(index.storage === mode) }));
      },
    },
  ];
}

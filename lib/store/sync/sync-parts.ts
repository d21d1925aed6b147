import type { CallLine } from './call-line';
import type { KeeperRows } from './keeper-rows';
import type { SyncStatus } from './sync-status';

/** What all parts of the sync of one keeper work with. */
export type SyncParts = {
  line: CallLine;
  rows: KeeperRows;
  status: SyncStatus;
  /** Unix milliseconds by the clock of the service; undefined where that is not known. */
  serviceNowMs: () => number | undefined;
};

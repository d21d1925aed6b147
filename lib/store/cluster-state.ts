import type { Session } from './engine';

/** `seenMs`: rows count as seen up to it. `isReset`: everything was deleted. `status`: of the sync, as JSON. */
export type ClusterWork<T> = (
  session: Session,
  revision: number,
) => Promise<{
  result: T;
  isChange: boolean;
  seenMs?: number | undefined;
  isReset?: boolean;
  status?: string | undefined;
}>;

/** `status`: of the sync, as JSON, if this process is the leader. `isWatched`: this process has viewers. */
export type LocalState = { status: string; isWatched: boolean };

/** The leader syncs and writes rows, and its state applies to all processes of the index. */
export type ClusterState = {
  readonly isLeader: boolean;
  /** `status` is that of the sync, as JSON. `isWatched`: some process has viewers. */
  readonly state: { revision: number; epoch: number; seenMs: number; status: string; isWatched: boolean };
  write<T>(work: ClusterWork<T>): Promise<T>;
  /** Makes all processes refresh what they show. */
  touch(): Promise<void>;
  /** Called when another process has changed something. */
  onChange(listener: () => void): void;
  /** Ended sessions by id, until the last expiry of their tokens (unix seconds). */
  readonly endedSessions: ReadonlyMap<string, number>;
  endSession(id: string, untilS: number): Promise<void>;
  /** Shares what this process contributes, read once a second. */
  share(localState: () => LocalState): void;
  /** Joins the election of the leader. @param onLeader called when this process becomes the leader or stops being it */
  start(onLeader?: (isLeader: boolean) => void): void;
  close(): Promise<void>;
};

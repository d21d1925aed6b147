'use client';
import { Icon } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import { groupDigits } from '@/lib/client/human-number';
import { useSteadyWords } from '@/lib/client/time-style';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/use-revision';
import classes from './index-notes.module.css';
import { usePendingPlace } from './pending-context';

/** Keepers whose rows are old, can't be read, or are not all here yet. Nothing where all is well. */
export function IndexNotes({ index: known }: { index: readonly KeeperStatus[] }) {
  const index = useRevision()?.index ?? known;
  const shown = index.filter(({ state }) => state !== 'live');
  if (shown.length === 0) return null;
  return (
    <ul className={classes.notes} aria-label="Sync">
      {shown.map((status) => (
        <li key={status.keeper} className={classes.note} data-state={status.state}>
          {status.state === 'syncing' ? <Syncing status={status} /> : <Behind status={status} />}
        </li>
      ))}
    </ul>
  );
}

function Syncing({ status: { keeper, history, coveredFromMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const { several } = usePendingPlace();
  const name = several === undefined ? 'Syncing history' : `Syncing history of keeper ${keeper}`;
  const of = history === null ? '' : `: ${figure(history.done)} of ${figure(history.expected)}`;
  const since = coveredFromMs === null ? '' : ` Complete since ${words(coveredFromMs)}.`;
  return (
    <div className={classes.words}>
      <p className="num">
        {name}
        {of}.{since}
      </p>
      {history === null ? null : (
        <progress className={classes.bar} aria-label={name} value={history.done} max={history.expected} />
      )}
    </div>
  );
}

function Behind({ status: { keeper, failure, syncedAtMs } }: { status: KeeperStatus }) {
  const words = useSteadyWords();
  const { several } = usePendingPlace();
  const named = several === undefined ? undefined : keeper;
  const told = failure === null ? undefined : explainFailure({ service: 'logs', ...failure }, named);
  const since = syncedAtMs === null ? 'Not synced yet.' : `Synced ${words(syncedAtMs)}.`;
  return (
    <>
      <Icon name="alert" size={14} />
      <p className={classes.words} role="alert">
        <strong>{told === undefined ? `Keeper ${keeper} is not synced` : told.title}.</strong> {since}{' '}
        {told?.said === undefined ? null : <q className="foreign">{told.said}</q>} {told?.todo}
      </p>
    </>
  );
}

function figure(count: number): string {
  return groupDigits(String(count));
}

'use client';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import { groupDigits } from '@/lib/client/human-number';
import { useSteadyWords } from '@/lib/client/time-style';
import type { KeeperStatus } from '@/lib/requests/keeper-status';
import { useRevision } from '@/lib/requests/use-revision';
import board from './service-board.module.css';
import classes from './service-panel.module.css';

/** How far the index of each keeper reaches, how old it is, and whether it agrees with the service. */
export function IndexBoard({ first }: { first: readonly KeeperStatus[] }) {
  const index = useRevision()?.index ?? first;
  if (index.length === 0) return null;
  return (
    <section className={board.board} aria-labelledby="index-title">
      <h2 id="index-title" className={board.title}>
        Request index
      </h2>
      <div className={board.panels}>
        {index.map((status) => (
          <IndexPanel key={status.keeper} status={status} />
        ))}
      </div>
    </section>
  );
}

const STATES: Record<
  KeeperStatus['state'],
  { words: string; icon: IconName; health: 'ok' | 'failing' | 'none' }
> = {
  live: { words: 'Live', icon: 'check', health: 'ok' },
  syncing: { words: 'Syncing history', icon: 'dotted', health: 'none' },
  stale: { words: 'Stale', icon: 'alert', health: 'failing' },
  failing: { words: 'Failing', icon: 'alert', health: 'failing' },
};

const STORAGE: Record<KeeperStatus['storage'], string> = {
  file: 'File',
  memory: 'Memory: lost when this server ends',
  'read-only': 'Read-only: nothing can be written now',
};

function IndexPanel({ status }: { status: KeeperStatus }) {
  const { keeper, state, rows, unreadable, gone, storage, notes } = status;
  const { words, icon, health } = STATES[state];
  const titleId = `index-${keeper}`;
  return (
    <section className={classes.panel} data-index={keeper} data-health={health} aria-labelledby={titleId}>
      <div className={classes.head}>
        <h3 id={titleId} className={classes.name}>
          Keeper {keeper}
        </h3>
        <span className={classes.state}>
          <Icon name={icon} size={15} />
          {words}
        </span>
      </div>
      <Failing status={status} />
      <dl className={classes.facts}>
        <Fact name="Rows">{figure(rows)}</Fact>
        <Fact name="Coverage">
          <Coverage status={status} />
        </Fact>
        <Fact name="Last sync">
          <Moment ms={status.syncedAtMs} otherwise="Not synced yet" />
        </Fact>
        <Fact name="Audit">
          <Audit audit={status.audit} />
        </Fact>
        {unreadable === 0 ? null : <Fact name="Unreadable">{figure(unreadable)}</Fact>}
        {gone === 0 ? null : <Fact name="No longer served">{figure(gone)}</Fact>}
        <Fact name="Storage">{STORAGE[storage]}</Fact>
        {notes.length === 0 ? null : (
          <Fact name="Notes">
            {notes.map((note) => (
              <span key={note} className={`${classes.note} foreign`}>
                {note}
              </span>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

/** Why the last call brought nothing, and what to do. */
function Failing({ status: { keeper, failure } }: { status: KeeperStatus }) {
  if (failure === null) return null;
  const { title, todo } = explainFailure({ service: 'logs', ...failure }, keeper);
  return (
    <p role="alert" className="foreign">
      {title}. {todo}
    </p>
  );
}

function Coverage({ status: { coversAll, coveredFromMs, history } }: { status: KeeperStatus }) {
  const day = coveredFromMs === null ? undefined : new Date(coveredFromMs).toISOString().slice(0, 10);
  const reach = day === undefined ? 'None yet' : coversAll ? `All since ${day}` : `Since ${day}`;
  if (history === null) return <>{reach}</>;
  const { done, expected } = history;
  return (
    <>
      {reach}; {figure(done)} of {figure(expected)} rows{' '}
      <progress aria-label="History read" value={done} max={Math.max(1, expected)} />
    </>
  );
}

function Audit({ audit }: { audit: KeeperStatus['audit'] }) {
  const moment = useSteadyWords();
  if (audit === null) return <>Not compared yet</>;
  const { agrees, ours, theirs, atMs } = audit;
  return (
    <span className={classes.words} data-tone={agrees ? 'good' : 'bad'}>
      {agrees ? 'Agrees with the service' : 'Differs from the service'}, {figure(ours)} of {figure(theirs)},{' '}
      {moment(atMs)}
    </span>
  );
}

function Moment({ ms, otherwise }: { ms: number | null; otherwise: string }) {
  const moment = useSteadyWords();
  return <>{ms === null ? otherwise : moment(ms)}</>;
}

function figure(count: number): string {
  return groupDigits(String(count));
}

'use client';
import Link from 'next/link';
import { Icon, type IconName } from '@/components/ui/icons';
import { useMoment } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { GONE, OPEN, OVER, stateText, subjectText, useWatch, type Watched } from '@/lib/pending/watch';
import { linkOfKey } from '@/lib/requests/request-address';
import { usePendingPlace } from './pending-context';
import classes from './watch-panel.module.css';
import { pendingPathOf } from './watch-path';

const LOOKS: Record<string, { icon: IconName; tone: string }> = {
  pending: { icon: 'clock', tone: 'wait' },
  completed: { icon: 'check', tone: 'good' },
  'callback-failed': { icon: 'alert', tone: 'warn' },
  failed: { icon: 'cross', tone: 'bad' },
  [OPEN]: { icon: 'alert', tone: 'warn' },
  [OVER]: { icon: 'check', tone: 'good' },
  [GONE]: { icon: 'dotted', tone: 'odd' },
};
const UNKNOWN = { icon: 'question', tone: 'odd' } as const;

/** One thing that is watched: what, how it stands, since when it is watched. */
export function WatchedItem({ one }: { one: Watched }) {
  const { unwatch, refusal } = useWatch();
  const { network } = usePendingPlace();
  const { icon, tone } = Object.hasOwn(LOOKS, one.state) ? (LOOKS[one.state] ?? UNKNOWN) : UNKNOWN;
  const refused = refusal(one.id);
  const name = subjectText(one);
  return (
    <li className={classes.item} data-watched={one.kind} data-state={one.state}>
      <SubjectLink one={one} name={name} />
      <span className={classes.place}>
        on <bdi>{clipped(network(one.networkId).name, 60)}</bdi>
      </span>
      <span className={classes.state} data-tone={tone}>
        <Icon name={icon} size={13} />
        <span>
          <bdi>{stateText(one.state)}</bdi>
          {one.kind === 'incident' && one.state === OPEN && one.size !== undefined
            ? `, ${groupDigits(String(one.size))} pending`
            : null}
        </span>
      </span>
      <span className={classes.soft}>
        {refused === undefined ? <Since one={one} /> : `Unavailable: ${explainFailure(refused).title}`}
      </span>
      <button
        type="button"
        className={`icon-button ${classes.remove}`}
        aria-label={`Stop watching ${name.toLowerCase()} on ${clipped(network(one.networkId).name, 60)}`}
        title="Stop watching"
        onClick={() => unwatch(one.id)}
      >
        <Icon name="close" size={13} />
      </button>
    </li>
  );
}

/** What it was before and until when; since when it is watched, while nothing has changed. */
function Since({ one: { was, sinceMs } }: { one: Watched }) {
  return was === undefined ? (
    <>
      watched since <Moment ms={sinceMs} />
    </>
  ) : (
    <>
      was <bdi>{stateText(was.state).toLowerCase()}</bdi> until <Moment ms={was.atMs} />
    </>
  );
}

/** The page of what is watched. */
function SubjectLink({ one, name }: { one: Pick<Watched, 'kind' | 'id'>; name: string }) {
  if (one.kind === 'incident') {
    return (
      <Link href={pendingPathOf(one.id)} prefetch={false} className={classes.subject}>
        {name}
      </Link>
    );
  }
  const link = linkOfKey(one.id);
  return link === undefined ? (
    <span className={classes.subject}>{name}</span>
  ) : (
    <Link href={link.href} prefetch={false} className={`${classes.subject} num`}>
      {name}
    </Link>
  );
}

function Moment({ ms }: { ms: number }) {
  const { text, title, iso } = useMoment(ms);
  return (
    <time dateTime={iso} title={title}>
      {text}
    </time>
  );
}

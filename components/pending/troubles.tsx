'use client';
import { Icon } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { useSteadyWords } from '@/lib/client/time-style';
import { type SameTrouble, sameTroubles } from '@/lib/client/triage-troubles';
import type { TriageAnswer } from '@/lib/contract/codec/triage';
import { usePendingPlace } from './pending-context';
import classes from './troubles.module.css';

/** Lines that say nearly the same would bury the page. */
const MOST_SHOWN = 6;
const MOST_NAMED = 3;

/** What could not be asked: of whom, why, and what to do; what failed for the same reason is one line. */
export function Troubles({ troubles }: { troubles: TriageAnswer['troubles'] }) {
  if (troubles.length === 0) return null;
  const groups = sameTroubles(troubles);
  const more = groups.slice(MOST_SHOWN).reduce((sum, { places }) => sum + places.length, 0);
  return (
    <ul className={classes.troubles} aria-label="What could not be asked">
      {groups.slice(0, MOST_SHOWN).map((group) => (
        <TroubleLine key={group.key} group={group} />
      ))}
      {more > 0 ? <li className={classes.trouble}>And {more} more of this kind.</li> : null}
    </ul>
  );
}

function TroubleLine({ group }: { group: SameTrouble }) {
  const { keeper, failure, places, kept } = group;
  const { network, several } = usePendingPlace();
  const moment = useSteadyWords();
  const { title, said, todo } = explainFailure(failure, several === undefined ? undefined : keeper);
  const named = places.slice(0, MOST_NAMED).map(({ what, networkId }) => {
    const where = networkId === undefined ? '' : `, ${clipped(network(networkId).name, 60)}`;
    return `${clipped(what, 120)}${where}`;
  });
  const others = places.length - named.length;
  return (
    <li className={classes.trouble}>
      <Icon name="alert" size={14} />
      <p className={classes.words} role="alert">
        <strong>
          Not known: {named.join('; ')}
          {others > 0 ? `; and ${others} more` : ''}.
        </strong>{' '}
        {title}.
        {kept === undefined
          ? ''
          : ` What is shown of it is from ${moment(kept.fromMs)}${kept.untilMs > kept.fromMs ? ' or later' : ''}.`}{' '}
        {said === undefined ? null : (
          <>
            It said: <q className="foreign">{said}</q>.{' '}
          </>
        )}
        {todo}
      </p>
    </li>
  );
}

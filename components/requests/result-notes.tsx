'use client';
import { Icon } from '@/components/ui/icons';
import { clockOffSentence } from '@/lib/client/clock-words';
import { countOf } from '@/lib/client/human-number';
import { formatAge } from '@/lib/client/human-time';
import { clockAheadMs, datedAhead, type LoadedRequests, unservedNetworks } from '@/lib/client/requests';
import { isClockOff } from '@/lib/domain/service-clock';
import { expectedDifference } from '@/lib/requests/share';
import type { RequestsView } from '@/lib/requests/view';
import classes from './results.module.css';

/** How the clock of the service differs from ours: ahead by what it has logged, else by the dates of its answers. */
export function clockNote(
  page: Pick<LoadedRequests, 'rows' | 'atMs' | 'view' | 'clocks'>,
): string | undefined {
  const aheadMs = clockAheadMs(page);
  if (isClockOff(aheadMs))
    return `The request log service’s clock is ${formatAge(aheadMs)} ahead of this dashboard’s, so the ages of new requests stay at 0 s for so long.`;
  return clockOffSentence(page.clocks, EFFECTS, page.view.keepers.length > 1);
}

const EFFECTS = {
  ahead: 'here every row looks younger by that much',
  behind: 'here every row looks older by that much, and none is newer',
};

function datedAheadNote(page: LoadedRequests): string | undefined {
  const { rows, byMs } = datedAhead(page);
  if (rows === 0) return undefined;
  const which = rows === 1 ? '1 of these rows is' : `${rows} of these rows are`;
  return `${which} dated up to ${formatAge(byMs)} ahead, which no clock explains. Ranges, counts of new requests and the pages after this one go by the time now, and may leave ${rows === 1 ? 'it' : 'them'} out.`;
}

function changedNote({ changed }: LoadedRequests): string | undefined {
  if (changed === 0) return undefined;
  return `${countOf(String(changed), 'request', 'requests')} changed state meanwhile, so the pages before hold other rows by now. None was skipped.`;
}

/** Which of the chosen networks are not served. */
export function unservedNote(page: Pick<LoadedRequests, 'unserved' | 'view'>): string | undefined {
  const { view, unserved } = page;
  const ids = unservedNetworks(page);
  if (ids.length === 0) return undefined;
  const keeper = unserved.find(({ networkId }) => networkId === ids[0])?.keeper;
  const names = ids.slice(0, MOST_NAMED).map((id) => `network ${id}`);
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : '';
  return `Not served by ${view.keepers.length < 2 ? `keeper ${keeper}` : 'any keeper that was asked'}, so without rows here: ${names.join(', ')}${more}.`;
}

const MOST_NAMED = 5;

/** What has to be known about the rows that are shown, each in a line of its own under them. */
export function ResultNotes({ view, page }: { view: RequestsView; page: LoadedRequests }) {
  const notes = [
    expectedDifference(view, page),
    changedNote(page),
    unservedNote(page),
    clockNote(page),
    datedAheadNote(page),
  ].filter((note) => note !== undefined);
  return notes.map((note) => (
    <p key={note} className={classes.note}>
      <Icon name="clock" size={14} />
      {note}
    </p>
  ));
}

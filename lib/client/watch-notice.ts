import { requestOfKey } from '@/lib/contract/codec/triage';
import { clipped } from './foreign-text';
import { OPEN, OVER, type WatchChange, type Watched } from './watch-book';

/** `pending` → `Pending`; what the service invented stays as it is. */
export function stateText(state: string): string {
  const known: Record<string, string> = {
    pending: 'Pending',
    completed: 'Completed',
    'callback-failed': 'Callback reverted',
    failed: 'Failed',
    [OPEN]: 'Open',
    [OVER]: 'Over',
  };
  return Object.hasOwn(known, state) ? (known[state] ?? state) : clipped(state, 60);
}

/** `Request 1234` or `Incident`, without its network. */
export function subjectText({ kind, id }: Pick<Watched, 'kind' | 'id'>): string {
  const sequence = kind === 'request' ? requestOfKey(id)?.sequence : undefined;
  return sequence === undefined ? 'Incident' : `Request ${clipped(sequence, 40)}`;
}

/** `failed → completed` */
export function transitionText({ from, to }: Pick<WatchChange, 'from' | 'to'>): string {
  return `${stateText(from).toLowerCase()} → ${stateText(to).toLowerCase()}`;
}

/** Asks the person, who has just clicked, whether this browser may show notifications. */
export async function askToNotify(): Promise<'yes' | 'refused'> {
  // Over plain HTTP from another machine, and on some phones, there are none.
  if (typeof Notification === 'undefined') return 'refused';
  try {
    return (await Notification.requestPermission()) === 'granted' ? 'yes' : 'refused';
  } catch {
    return 'refused';
  }
}

/** Shows what has changed, all of it as one notification. */
export function notifyOf(changes: readonly WatchChange[]): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const [first] = changes;
  if (first === undefined) return;
  const more = changes.length > 1 ? `, and ${changes.length - 1} more` : '';
  const title = `${subjectText(first)}: ${transitionText(first)}`;
  try {
    // One place for all of them: a browser that was away for a night does not get a hundred.
    const notice = new Notification(title, {
      body: `Network ${first.networkId}, keeper ${clipped(first.keeper, 60)}${more}`,
      tag: 'keeperscope-watch',
    });
    notice.onclick = () => window.focus();
  } catch {
    // Phones allow them from service workers only.
  }
}

import type { EvidenceId } from '@/lib/domain/diagnosis/evidence';
import type { Figure, Severity } from '@/lib/domain/diagnosis/verdict';
import type { IconName } from './icons';

/** A page of this dashboard about one request. */
export type RequestHref = `/requests/${string}/${string}`;

/** How verdicts are put into words on a page: what this room can't know. `useVerdictWords` of the client gives it. */
export type VerdictWords = {
  /** A figure for people, harmless whoever wrote it. */
  figure: (figure: Figure) => string;
  /** A moment within a sentence; unix ms. */
  moment: (ms: number) => string;
  /** The call for a terminal; `query` without question mark. */
  curl: (query: string) => string;
  /** The page of the row with this key; undefined when the key names none. */
  request: (key: string) => { href: RequestHref; label: string } | undefined;
};

export const SEVERITY_WORDS: Record<Severity, string> = {
  none: 'Well',
  notice: 'Notice',
  warning: 'Warning',
  critical: 'Critical',
};

export const SEVERITY_ICONS: Record<Severity, IconName> = {
  none: 'check',
  notice: 'clock',
  warning: 'alert',
  critical: 'cross',
};

export const EVIDENCE_WORDS: Record<EvidenceId, string> = {
  E1: 'All pending requests of the keeper',
  E2: 'The network around the request',
  E3: 'The sender’s newest requests',
  E4: 'Requests with the same number',
  E5: 'Requests of the same transaction',
  E6: 'The network’s newest request, and the last 24 hours',
  finished: 'The network’s last finished requests',
  count: 'Count of a stretch of time',
};

/** What can't be shown is a colour alone: `hex` and `text` come from strangers and stand apart. */
export function isForeign({ unit }: Figure): boolean {
  return unit === 'hex' || unit === 'text';
}

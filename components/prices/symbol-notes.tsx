import Link from 'next/link';
import { Icon } from '@/components/ui/icons';
import warnings from '@/components/ui/warning-list.module.css';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { SymbolsStanding } from '@/lib/client/symbol-directory';
import { useMomentWords } from '@/lib/client/time-style';
import type { SourceStanding, SymbolSource, SymbolsAnswer } from '@/lib/contract/codec/symbols';
import type { UrlProblem } from '@/lib/domain/url-problem';
import classes from './symbol-notes.module.css';

/** What is missing without a service's list. */
const MISSING: Record<SymbolSource, string> = {
  router: 'Router ids, minimum channels and states are not known without it.',
  updates: 'Feeds that only this service lists are not shown.',
};

const UNCONFIGURED: Record<SymbolSource, string> = {
  router: 'The price router is not configured (ROUTER_URL).',
  updates: 'The price update service is not configured (UPDATES_URL).',
};

type Words = { title: string; rest: string };

/** What is to be said of a list, if anything. */
function wordsOf(source: SymbolSource, standing: SourceStanding, moment: (ms: number) => string): Words[] {
  if (standing.state === 'ok') return [];
  if (standing.state === 'unconfigured') return [{ title: UNCONFIGURED[source], rest: MISSING[source] }];
  const { title } = explainFailure(standing.failure);
  const rest =
    standing.asOfMs === undefined
      ? `${MISSING[source]} It is asked again by itself.`
      : `Its rows are those of ${moment(standing.asOfMs)}. It is asked again by itself.`;
  return [{ title: `${title}.`, rest }];
}

/** What of the lists is missing, stale or unreadable, and what of the address was not understood. */
export function DirectoryNotes({
  answer,
  problems,
}: {
  answer: SymbolsAnswer;
  problems: readonly UrlProblem[];
}) {
  const moment = useMomentWords();
  const notes = [
    ...wordsOf('router', answer.sources.router, moment),
    ...wordsOf('updates', answer.sources.updates, moment),
    ...unreadableWords(answer.unreadable),
  ];
  if (notes.length === 0 && problems.length === 0) return null;
  return (
    <ul className={warnings.list} aria-label="Notes on the directory">
      {notes.map(({ title, rest }) => (
        <li key={title}>
          <Icon name="alert" size={14} />
          <span>
            <strong>{title}</strong> {rest}
          </span>
        </li>
      ))}
      {problems.map(({ param, value, message }) => (
        <li key={`${param} ${value}`}>
          <Icon name="alert" size={14} />
          <span>
            Not understood in the address:{' '}
            <code className="foreign">
              {clipped(param, 40)}={clipped(value, 80)}
            </code>{' '}
            {message}
          </span>
        </li>
      ))}
    </ul>
  );
}

function unreadableWords(count: number): Words[] {
  if (count === 0) return [];
  const rows = count === 1 ? '1 row' : `${groupDigits(String(count))} rows`;
  return [
    {
      title: `${rows} of the lists can’t be read.`,
      rest: 'They name no feed, or one named before, and are left out.',
    },
  ];
}

/** Instead of the directory: it is on its way, or nobody has one; then ids do. */
export function NoDirectory({ standing }: { standing: SymbolsStanding }) {
  const moment = useMomentWords();
  if (standing.state === 'loading') {
    return (
      <p role="status" className={classes.loading}>
        Loading the directory…
      </p>
    );
  }
  const reasons: Words[] =
    standing.state === 'failed'
      ? [{ title: `${explainFailure(standing.failure).title}.`, rest: 'It is asked again by itself.' }]
      : (['router', 'updates'] as const).flatMap((source) => {
          const words = wordsOf(source, standing.answer.sources[source], moment);
          return words.length > 0 ? words : [{ title: EMPTY[source], rest: '' }];
        });
  return (
    <div className={classes.none}>
      <div role="alert">
        <h3>No list of symbols</h3>
        {reasons.map(({ title, rest }) => (
          <p key={title}>
            <strong>{title}</strong> {rest}
          </p>
        ))}
      </div>
      <p>
        Ids are enough everywhere: <Link href="/prices">look prices up</Link> by router id or by feed id, and
        put feeds on a <Link href="/feeds">board</Link> by their ids.
      </p>
    </div>
  );
}

const EMPTY: Record<SymbolSource, string> = {
  router: 'The price router lists no symbol.',
  updates: 'The price update service lists no feed.',
};

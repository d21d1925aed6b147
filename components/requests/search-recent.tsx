'use client';
import type { FocusEvent, KeyboardEvent } from 'react';
import { Icon } from '@/components/ui/icons';
import { stepTarget } from '@/components/ui/tick-step';
import { shortened } from '@/lib/client/foreign-text';
import { browserRecentQueries } from '@/lib/client/recent-queries';
import { recogniseQuery } from '@/lib/domain/log-query';
import classes from './search-field.module.css';

/** The recent searches under the field. Arrows go through them, Enter takes one, Delete forgets it. */
export function RecentSearches({
  queries,
  onChoose,
  onLeave,
  onBlur,
}: {
  queries: readonly string[];
  onChoose: (query: string) => void;
  /** Back into the field; `closed`: and the list is to close. */
  onLeave: (then: 'open' | 'closed') => void;
  onBlur: (event: FocusEvent) => void;
}) {
  function onKeyDown(event: KeyboardEvent<HTMLFieldSetElement>) {
    const target = event.target;
    if (!(target instanceof HTMLButtonElement)) return;
    const { key, currentTarget } = event;
    const isFirst = stepTarget(currentTarget, undefined, 'first') === target;
    if (key === 'ArrowDown') stepTarget(currentTarget, target, 'next')?.focus();
    else if (key === 'ArrowUp' && isFirst) onLeave('open');
    else if (key === 'Escape') onLeave('closed');
    else if (key === 'ArrowUp') stepTarget(currentTarget, target, 'previous')?.focus();
    else if (key === 'Delete' && target.value !== '') forget(currentTarget, target);
    else return;
    event.preventDefault();
  }

  function forget(list: HTMLElement, target: HTMLButtonElement) {
    const isLast = stepTarget(list, undefined, 'last') === target;
    const neighbour = stepTarget(list, target, isLast ? 'previous' : 'next');
    if (neighbour === target) onLeave('closed');
    else neighbour?.focus();
    browserRecentQueries().remove(target.value);
  }

  function forgetAll() {
    onLeave('closed');
    browserRecentQueries().clear();
  }

  return (
    <fieldset className={classes.recent} aria-label="Recent searches" onKeyDown={onKeyDown} onBlur={onBlur}>
      <p className={classes.recentHead}>
        Recent searches
        <button type="button" onClick={forgetAll}>
          Forget all
        </button>
      </p>
      <ul>
        {queries.map((query) => (
          <li key={query} className={classes.recentRow}>
            <button
              type="button"
              value={query}
              data-step="recent"
              className={classes.recentQuery}
              onClick={() => onChoose(query)}
            >
              <span className="mono">{shortened(query)}</span>
              <span className={classes.recentKind}>{recogniseQuery(query).kind}</span>
            </button>
            <button
              type="button"
              className="icon-button"
              tabIndex={-1}
              aria-label={`Forget ${shortened(query)}`}
              title="Forget"
              onClick={() => browserRecentQueries().remove(query)}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

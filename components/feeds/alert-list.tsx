'use client';
import { useId, useRef } from 'react';
import type { FeedAlert } from '@/lib/client/alert-book';
import { useAlertStandings } from '@/lib/client/alert-hooks';
import { useAlertBook } from '@/lib/client/alert-of-browser';
import type { AlertStanding } from '@/lib/client/alert-watch';
import { alertText, conditionText, feedShortName, standingWord } from '@/lib/client/alert-words';
import { useNow } from '@/lib/client/clock';
import { formatSpan } from '@/lib/client/human-time';
import classes from './alert.module.css';
import { AlertBell } from './alert-bell';
import { AlertSaying } from './alert-saying';
import { RemoveMark } from './remove-mark';

/** All alerts of this browser, those that are raised first. */
export function AlertList() {
  const titleId = useId();
  const { book } = useAlertBook();
  const standings = useAlertStandings();
  const isRaised = ({ id }: FeedAlert) => standings.get(id)?.phase === 'raised';
  const sorted = [...book.alerts.filter(isRaised), ...book.alerts.filter((alert) => !isRaised(alert))];
  return (
    <section className={classes.panel} aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.title}>
        Alerts
      </h2>
      {sorted.length === 0 ? (
        <p className={classes.soft}>None yet. Press the bell of a feed to set one.</p>
      ) : (
        <>
          <AlertItems label="All alerts" alerts={sorted} naming="feed" />
          <AlertSaying />
        </>
      )}
    </section>
  );
}

/** Alerts with how they stand. `naming`: whether the feed has to be named as well. */
export function AlertItems({
  label,
  alerts,
  naming,
}: {
  label: string;
  alerts: readonly FeedAlert[];
  naming: 'feed' | 'condition';
}) {
  const standings = useAlertStandings();
  const list = useRef<HTMLUListElement>(null);
  return (
    <ul ref={list} className={classes.list} aria-label={label} tabIndex={-1}>
      {alerts.map((alert) => (
        <AlertItem
          key={alert.id}
          alert={alert}
          naming={naming}
          standing={standings.get(alert.id)}
          // The focus would be lost with the button.
          onRemoved={() => list.current?.focus({ preventScroll: true })}
        />
      ))}
    </ul>
  );
}

function AlertItem({
  alert,
  naming,
  standing,
  onRemoved,
}: {
  alert: FeedAlert;
  naming: 'feed' | 'condition';
  standing: AlertStanding | undefined;
  onRemoved: () => void;
}) {
  const { remove } = useAlertBook();
  const words = conditionText(alert.condition);
  return (
    <li className={classes.item} data-phase={standing?.phase ?? 'unheard'}>
      <span className={classes.what}>
        {naming === 'feed' ? <bdi className={classes.feed}>{feedShortName(alert)}</bdi> : null}
        <span>{naming === 'feed' ? words : `${words[0]?.toUpperCase()}${words.slice(1)}`}</span>
      </span>
      <span className={classes.standing}>
        {standing?.phase === 'raised' ? <AlertBell look="raised" /> : null}
        {standingWord(standing)}
        {standing?.phase === 'raised' ? <Since atMs={standing.sinceMs} /> : null}
      </span>
      <button
        type="button"
        className="icon-button"
        aria-label={`Remove alert ${alertText(alert)}`}
        title="Remove"
        onClick={() => {
          onRemoved();
          remove(alert.id);
        }}
      >
        <RemoveMark />
      </button>
    </li>
  );
}

function Since({ atMs }: { atMs: number }) {
  const nowMs = useNow(atMs);
  return <span className="num"> for {formatSpan(Math.max(0, nowMs - atMs))}</span>;
}

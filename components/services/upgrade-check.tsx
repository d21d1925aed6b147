'use client';
import { useEffect, useRef } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import { useSteadyWords } from '@/lib/client/time-style';
import type { UpgradeProgress } from '@/lib/client/upgrade-check-run';
import { UPGRADE_ANCHOR } from '@/lib/contract/codec/upgrade-check-url';
import type { FeedEntry, FeedId } from '@/lib/domain/feed';
import { CUTOVER_MS } from '@/lib/domain/upgrade-check';
import { UPGRADE_ROUTE_NAMES } from '@/lib/domain/upgrade-check-reasons';
import classes from './upgrade-check.module.css';
import { UpgradeForm } from './upgrade-form';
import { UpgradePayloads } from './upgrade-payloads';
import { UpgradePrices } from './upgrade-prices';
import { UpgradeRoutes } from './upgrade-routes';
import { UpgradeVerdictCard } from './upgrade-verdict';
import { type UpgradeCheckState, useUpgradeCheck } from './use-upgrade-check';

/** The old and the upgraded host of the price update service, asked the same and compared. The address says about which feeds. */
export function UpgradeCheck() {
  const state = useUpgradeCheck();
  const words = useSteadyWords();
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    // This part is loaded when its link is followed: too late for the browser, which found nothing to go to.
    if (window.location.hash === `#${UPGRADE_ANCHOR}`) section.current?.scrollIntoView();
  }, []);
  return (
    <section
      ref={section}
      id={UPGRADE_ANCHOR}
      aria-labelledby="upgrade-check-title"
      className={classes.section}
    >
      <h2 id="upgrade-check-title" className={classes.title}>
        Upgrade check
      </h2>
      <p className={classes.lead}>
        Asks the old and the upgraded host of the price update service the same questions, and says which
        contract their payloads are for. The cutover was set to {words(CUTOVER_MS)}.
      </p>
      {/* Another question begins with its own feeds, not with those that were being chosen. */}
      <UpgradeForm key={JSON.stringify(state.view ?? '')} state={state} />
      <Problems state={state} />
      <Standing state={state} />
      <Checked state={state} />
    </section>
  );
}

function Problems({ state: { problems, unknown, run } }: { state: UpgradeCheckState }) {
  if (problems.length === 0 && unknown.length === 0 && run.error === null) return null;
  return (
    <div role="alert">
      <ul className={classes.problems}>
        {problems.map(({ param, value, message }) => (
          <li key={`${param} ${value}`}>
            <bdi className="foreign">{clipped(value, 80)}</bdi>: {message}
          </li>
        ))}
        {unknown.map((name) => (
          <li key={name}>
            <bdi className="foreign">{clipped(name, 80)}</bdi>: no feed of this name is known, so it is not
            checked. An id of 64 hex digits will do.
          </li>
        ))}
        {run.error === null ? null : (
          <li>The check ended by an error of this page. Reload it and try again.</li>
        )}
      </ul>
    </div>
  );
}

/** How far the check is. The words change with every route, so they are a status of their own. */
function Standing({ state: { run } }: { state: UpgradeCheckState }) {
  const words = useSteadyWords();
  const { progress, checked } = run;
  const last = checked === undefined ? '' : words(checked.evidence.askedAtMs);
  const step = progress === undefined ? '' : stepWords(progress);
  const text =
    run.standing === 'resting'
      ? last && `Checked ${last}`
      : `Checking${step}…${last && ` Until then: as of ${last}`}`;
  return (
    <p role="status" className={classes.standing}>
      {text}
    </p>
  );
}

function stepWords({ route, done, of }: UpgradeProgress): string {
  return `: ${UPGRADE_ROUTE_NAMES[route]} (${done + 1} of ${of})`;
}

function Checked({ state: { view, run, entries } }: { state: UpgradeCheckState }) {
  if (run.checked === undefined || view === undefined) return null;
  const { evidence, verdict } = run.checked;
  const nameOf = (id: FeedId) => nameIn(entries, id);
  return (
    <div className={classes.result}>
      <UpgradeVerdictCard verdict={verdict} />
      <UpgradePayloads evidence={evidence} view={view} nameOf={nameOf} />
      <UpgradeRoutes findings={verdict.findings} nameOf={nameOf} />
      <UpgradePrices findings={verdict.findings} at={evidence.at} nameOf={nameOf} />
    </div>
  );
}

function nameIn(entries: readonly FeedEntry[], id: FeedId): string {
  const symbol = entries.find((entry) => entry.id === id)?.symbol;
  return symbol === undefined ? `${id.slice(0, 6)}…${id.slice(-4)}` : clipped(symbol, 40);
}

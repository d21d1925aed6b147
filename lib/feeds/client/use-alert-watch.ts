'use client';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { announce } from '@/components/ui/announce';
import type { FeedName } from '@/lib/feeds/board-url';
import { type AlertState, judgeAlert, stepAlert, UNJUDGED } from '@/lib/feeds/feed-alerts';
import type { CadenceFloors } from '@/lib/feeds/feed-cadence';
import { useStoredValue } from '@/lib/watches/client/stored-value';
import { type FeedAlert, notifyUnseen, watchList } from '@/lib/watches/client/watch-list';
import { alertInputOf } from './alert-input';
import { alertText, soundAlert } from './alerts';
import { useFeedDirectory } from './directory';
import type { FeedStore } from './store';

/** States by the alert's id. */
export type AlertStates = ReadonlyMap<string, AlertState>;

/** Staleness and the end of a condition come with time, not with an update. */
const ALERT_CHECK_INTERVAL_MS = 1_000;

/** Announces raised alerts. */
export function useAlertWatch(
  store: FeedStore,
  floors: CadenceFloors,
  feeds: readonly FeedName[],
): AlertStates {
  const { alerts, sound } = useStoredValue(watchList);
  const [states, setStates] = useState<AlertStates>(new Map());
  const latestStates = useRef(states);
  // Feeds of alerts that are not on the page also need the schedule of their market.
  const isElsewhere = ({ feedId, condition }: FeedAlert) =>
    condition.kind === 'stale' && !feeds.some(({ id }) => id === feedId);
  const directory = useFeedDirectory(alerts.some(isElsewhere));
  const checkAlerts = useEffectEvent(() => {
    const previousStates = latestStates.current;
    const nowMs = Date.now() - store.stream().skewMs;
    const steps = alerts.map((alert) => {
      const listed = [...feeds, ...(directory.data?.feeds ?? [])].find(({ id }) => id === alert.feedId);
      const market = listed ?? (directory.isLoading ? 'unknown' : undefined);
      const seen = alertInputOf(store, alert, { nowMs, floors, market });
      const previous = previousStates.get(alert.id) ?? UNJUDGED;
      const state = stepAlert(previous, seen && judgeAlert(alert.condition, seen), nowMs);
      return { alert, state, isNew: state.phase === 'raised' && previous.phase !== 'raised' };
    });
    if (
      steps.length !== previousStates.size ||
      steps.some(({ alert, state }) => previousStates.get(alert.id) !== state)
    ) {
      latestStates.current = new Map(steps.map(({ alert, state }) => [alert.id, state]));
      setStates(latestStates.current);
    }
    const raised = steps.filter(({ isNew }) => isNew);
    const [first, ...more] = raised;
    if (first === undefined) return;
    announce(`Alert: ${alertText(first.alert)}${more.length > 0 ? `, and ${more.length} more` : ''}`);
    const notices = raised.flatMap(({ alert, state }) => {
      const tag = `keeperscope-alert-${alert.id}`;
      return state.notifiedMs === nowMs ? { title: alertText(alert), body: 'Keeperscope feeds', tag } : [];
    });
    if (notices.length === 0) return;
    if (sound === 'yes') soundAlert();
    notifyUnseen(notices.length, notices);
  });
  useEffect(() => {
    const run = () => checkAlerts();
    run();
    if (alerts.length === 0) return;
    const end = store.subscribe(run);
    const timer = window.setInterval(run, ALERT_CHECK_INTERVAL_MS);
    return () => {
      end();
      window.clearInterval(timer);
    };
  }, [store, alerts]);
  return states;
}

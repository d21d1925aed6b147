'use client';
import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  Modal,
  NativeSelect,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { type FormEvent, useRef, useState } from 'react';
import { useNow } from '@/components/ui/clock';
import { Icon } from '@/components/ui/icons';
import { Choice } from '@/components/ui/inputs';
import { ErrorText, Muted } from '@/components/ui/text';
import { formatScaled } from '@/lib/core/numbers';
import { formatSpan } from '@/lib/core/time';
import type { FeedName } from '@/lib/feeds/board-url';
import { alertText, conditionText, feedShortName, soundAlert } from '@/lib/feeds/client/alerts';

import { useFeed, usePage, useStream } from '@/lib/feeds/client/hooks';
import { isTroubled } from '@/lib/feeds/client/stream';
import type { AlertCondition } from '@/lib/feeds/feed-alerts';
import { useStoredValue } from '@/lib/watches/client/stored-value';
import {
  CHANGE_WINDOWS_S,
  chooseNotifications,
  conditionFromText,
  type FeedAlert,
  MAX_ALERTS,
  watchList,
  withAlert,
} from '@/lib/watches/client/watch-list';
import { AlertBell } from './alert-bell';

type DialogProps = { feed: FeedName; opened: boolean; onClose: () => void };

export function AlertDialog({ feed, opened, onClose }: DialogProps) {
  // Mantine remembers the focus when `opened` becomes true, so the first render must be closed.
  const mounted = useMounted();
  const { alerts } = useStoredValue(watchList);
  const feedAlerts = alerts.filter(({ feedId }) => feedId === feed.id);
  return (
    <Modal opened={opened && mounted} onClose={onClose} title={`Alerts for ${feedShortName(feed)}`}>
      <Stack gap="sm">
        <AlertForm feed={feed} />
        {feedAlerts.length === 0 ? null : <AlertItems label="Alerts of this feed" alerts={feedAlerts} />}
        <AlertOptions />
      </Stack>
    </Modal>
  );
}

export function AlertList({ alerts }: { alerts: readonly FeedAlert[] }) {
  if (alerts.length === 0) return <Muted>No alerts. Press the bell of a feed to set one.</Muted>;
  return (
    <Stack gap="sm" mah="70dvh" style={{ overflow: 'auto' }}>
      <AlertItems label="All alerts" alerts={alerts} naming />
      <AlertOptions />
    </Stack>
  );
}

type Kind = AlertCondition['kind'];

const KINDS: Record<Kind, string> = {
  above: 'Price above',
  below: 'Price below',
  change: 'Price moves more than',
  wide: 'Confidence wider than',
  stale: 'Feed is stale',
};
const UNITS: Partial<Record<Kind, string>> = { change: '%', wide: 'bp' };
const HINTS: Partial<Record<Kind, string>> = {
  change: 'From the lowest or highest price in that time',
  wide: '1 bp is 0.01% of the price',
  stale: 'No update for far longer than typical',
};
const ADDED = 'Added.';

function addAlert({ id: feedId, symbol }: FeedName, condition: AlertCondition): string {
  const id = `a${Date.now().toString(36)}${Math.floor(Math.random() * 1e6).toString(36)}`;
  let message = ADDED;
  const outcome = watchList.change((list) => {
    const next = withAlert(list, { id, feedId, symbol, condition });
    const isFull = list.alerts.length >= MAX_ALERTS;
    if (next === list)
      message = isFull ? `At most ${MAX_ALERTS} alerts. Remove one first.` : 'Alert already set.';
    return next;
  });
  return message === ADDED && outcome === 'not-stored'
    ? 'Storage blocked: kept until this page is closed.'
    : message;
}

function AlertForm({ feed }: { feed: FeedName }) {
  const { latest } = useFeed(feed.id);
  const price = latest && formatScaled(latest.price);
  const [kind, setKind] = useState<Kind>('above');
  const [text, setText] = useState('');
  const [windowS, setWindow] = useState(300);
  const [message, setMessage] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const read = kind === 'stale' ? { condition: { kind } as const } : conditionFromText(kind, text, windowS);
    const result = 'problem' in read ? read.problem : addAlert(feed, read.condition);
    setMessage(result);
    if (result === ADDED) setText('');
  };
  const isPrice = kind === 'above' || kind === 'below';
  const isRefused = message !== undefined && message !== ADDED;
  const tone = isRefused ? 'bad' : message === undefined ? 'text-soft' : 'good';
  const priceText = price === undefined ? 'No price yet' : `Now ${price}`;
  return (
    // The message is about the previous input.
    <form noValidate onSubmit={submit} onChange={() => setMessage(undefined)}>
      <Group gap="xs" align="end">
        <Choice label="When" flex="1 1 12.5rem" names={KINDS} value={kind} onChoose={setKind} />
        {kind !== 'stale' && (
          <TextInput
            label={isPrice ? 'Price' : `Number (${UNITS[kind]})`}
            flex="1 1 8rem"
            value={text}
            placeholder={isPrice ? price : '1'}
            inputMode="decimal"
            maxLength={60}
            error={isRefused}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
        )}
        {kind === 'change' && (
          <NativeSelect
            label="Within"
            value={windowS}
            data={CHANGE_WINDOWS_S.map((seconds) => ({
              value: String(seconds),
              label: formatSpan(seconds * 1000),
            }))}
            onChange={({ currentTarget: { value } }) => setWindow(Number(value))}
          />
        )}
        <Button type="submit" variant="filled">
          Add alert
        </Button>
        {/* Rendered even while empty, so that a message does not push the form down. */}
        <Text role="status" w="100%" mih="1.25rem" size="xs" c={`var(--ks-${tone})`}>
          {message ?? (isPrice ? priceText : HINTS[kind])}
        </Text>
      </Group>
    </form>
  );
}

type ItemsProps = { label: string; alerts: readonly FeedAlert[]; naming?: boolean };

/** The alerts of a board or feed. If `naming` is set, each has the name of its feed. */
function AlertItems({ label, alerts, naming }: ItemsProps) {
  const { alertStates: states } = usePage();
  const isDown = isTroubled(useStream().link);
  const list = useRef<HTMLDivElement>(null);
  const remove = (id: string) => {
    // The focused button disappears, so the focus moves to the list.
    list.current?.focus({ preventScroll: true });
    watchList.change((list) => ({ ...list, alerts: list.alerts.filter((alert) => alert.id !== id) }));
  };
  return (
    <Stack component="ul" ref={list} gap={6} aria-label={label} tabIndex={-1} style={{ outline: 'none' }}>
      {alerts.map((alert) => {
        const state = states.get(alert.id);
        const words = conditionText(alert.condition);
        const isRaised = state?.phase === 'raised';
        return (
          <Group component="li" key={alert.id} gap="xs" wrap="nowrap">
            <Text component="span" flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
              {naming ? <strong className="foreign">{feedShortName(alert)} </strong> : null}
              {naming ? words : `${words[0]?.toUpperCase()}${words.slice(1)}`}
            </Text>
            <Text
              component="span"
              size="xs"
              fw={isRaised ? 600 : undefined}
              c={isRaised ? 'var(--ks-warn)' : 'dimmed'}
            >
              {isRaised ? <AlertBell phase="raised" /> : null}{' '}
              {isDown ? STATES_OF_LAST_PRICE[state?.phase ?? 'unjudged'] : STATES[state?.phase ?? 'unjudged']}
              {isRaised && !isDown ? <Since atMs={state.sinceMs} /> : null}
            </Text>
            <ActionIcon
              aria-label={`Remove alert ${alertText(alert)}`}
              title="Remove"
              onClick={() => remove(alert.id)}
            >
              <Icon name="close" size={13} />
            </ActionIcon>
          </Group>
        );
      })}
    </Stack>
  );
}

const STATES = { raised: 'Triggered', calm: 'Watching', unjudged: 'Waiting for a price' } as const;
/** Nothing is judged while no live prices arrive. */
const STATES_OF_LAST_PRICE = {
  raised: 'Triggered at the last price',
  calm: 'Not watched: no live prices',
  unjudged: 'Waiting for a price',
} as const;

function Since({ atMs }: { atMs: number }) {
  return <span className="num"> for {formatSpan(Math.max(0, useNow() - atMs))}</span>;
}

/** Both options start with a click: browsers ask permission for notifications, and block sound before a click. */
function AlertOptions() {
  const { sound, notify } = useStoredValue(watchList);
  const [isRefused, setRefused] = useState(false);
  // A page over plain HTTP from another machine has no locks, so its stream closes when it is hidden.
  const canWatchHidden = 'locks' in navigator;
  return (
    <Group gap="xs">
      <Checkbox
        label="Sound"
        checked={sound === 'yes'}
        onChange={({ currentTarget: { checked } }) => {
          if (checked) soundAlert();
          watchList.change((list) => ({ ...list, sound: checked ? 'yes' : 'no' }));
        }}
      />
      <Checkbox
        label="Background notification"
        checked={notify === 'yes'}
        onChange={async ({ currentTarget: { checked } }) =>
          setRefused((await chooseNotifications(checked ? 'yes' : 'no')) === 'refused')
        }
      />
      {isRefused ? <ErrorText>Notifications are blocked by this browser.</ErrorText> : null}
      <Muted size="xs">
        Stored in this browser, checked while a feeds page is {canWatchHidden ? 'open' : 'visible'}. Cleared
        after 10 s, announced at most once a minute.
      </Muted>
    </Group>
  );
}

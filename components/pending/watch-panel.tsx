'use client';
import { ActionIcon, Anchor, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { ErrorText, Muted, MutedInline, Section } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { useWatch } from '@/lib/pending/client/use-watch';
import { GONE, OPEN, OVER, stateText, subjectText } from '@/lib/pending/client/watched-states';
import { incidentPath } from '@/lib/pending/pending-response';
import { linkOfKey } from '@/lib/requests/request-address';
import { STATE_LOOKS } from '@/lib/requests/state-looks';
import type { Watched } from '@/lib/watches/client/watch-list';
import { MomentLabel } from './pending-context';

/** The watched items above `children`; if there are none, a hint below them. */
export function WatchPanel({ children }: { children: ReactNode }) {
  const { watches } = useWatch();
  useChangeAnnouncements();
  if (watches.watched.length === 0) {
    return (
      <>
        {children}
        <Muted component="section" aria-label="Watched" data-watch="">
          Nothing watched. Press Watch on an incident or a request to be notified of changes.
        </Muted>
      </>
    );
  }
  return (
    <>
      <Section title="Watched" isRegion data-watch="">
        <WatchStatus />
        <ul>
          {watches.watched.map((watched) => (
            <WatchedItem key={watched.id} item={watched} />
          ))}
        </ul>
        <Notifications />
      </Section>
      {children}
    </>
  );
}

function useChangeAnnouncements(): void {
  const { watches } = useWatch();
  const nameOf = useNetworkName();
  const lastChanged = watches.watched.toSorted((a, b) => (b.was?.atMs ?? 0) - (a.was?.atMs ?? 0))[0];
  const announcedMs = useRef(lastChanged?.was?.atMs ?? 0);
  useEffect(() => {
    const atMs = lastChanged?.was?.atMs ?? 0;
    if (lastChanged === undefined || atMs <= announcedMs.current) return;
    announcedMs.current = atMs;
    const place = clipped(nameOf(lastChanged.networkId), 60);
    announce(`${subjectText(lastChanged)} on ${place}: ${stateText(lastChanged.state)}`);
  }, [lastChanged, nameOf]);
}

function WatchStatus() {
  const { isWatching, checkedAtMs, trouble, checkNow } = useWatch();
  const moment = useMomentWords();
  if (!isWatching) return <Muted>No further changes</Muted>;
  if (trouble === undefined) {
    return <Muted>{checkedAtMs === undefined ? 'Checking…' : `Checked ${moment(checkedAtMs)}.`}</Muted>;
  }
  return (
    <ErrorText>
      {explainFailure(trouble).title}. Outdated. Retrying with backoff.{' '}
      <Anchor component="button" onClick={checkNow}>
        Try now
      </Anchor>
    </ErrorText>
  );
}

const LOOKS: Record<string, { icon: IconName; tone: string }> = {
  ...STATE_LOOKS,
  [OPEN]: { icon: 'alert', tone: 'warn' },
  [OVER]: { icon: 'check', tone: 'good' },
  [GONE]: { icon: 'dotted', tone: 'odd' },
};

function WatchedItem({ item }: { item: Watched }) {
  const { unwatch, refused: refusals } = useWatch();
  const nameOf = useNetworkName();
  const { icon, tone } = Object.hasOwn(LOOKS, item.state)
    ? (LOOKS[item.state] ?? STATE_LOOKS.unknown)
    : STATE_LOOKS.unknown;
  const refused = refusals?.get(item.id);
  const name = subjectText(item);
  const place = clipped(nameOf(item.networkId), 60);
  const href = item.kind === 'incident' ? incidentPath(item.id) : linkOfKey(item.id)?.href;
  const isOpen = item.kind === 'incident' && item.state === OPEN && item.size !== undefined;
  return (
    <Group component="li" gap="xs" mih="2rem" data-watched={item.kind} data-state={item.state}>
      {href === undefined ? (
        <b>{name}</b>
      ) : (
        <Link href={href} className="num">
          <b>{name}</b>
        </Link>
      )}
      <MutedInline>
        on <bdi>{place}</bdi>
      </MutedInline>
      <Text span c={`var(--ks-${tone})`} fw={600}>
        <Icon name={icon} size={13} /> <bdi>{stateText(item.state)}</bdi>
        {isOpen ? `, ${groupDigits(item.size ?? 0)} stuck` : null}
      </Text>
      <MutedInline flex={1}>
        {refused !== undefined ? (
          `Unavailable: ${explainFailure(refused).title}`
        ) : (
          <>
            {item.was === undefined
              ? 'watched since '
              : `was ${stateText(item.was.state).toLowerCase()} until `}
            <MomentLabel ms={item.was?.atMs ?? item.sinceMs} />
          </>
        )}
      </MutedInline>
      <ActionIcon
        aria-label={`Stop watching ${name.toLowerCase()} on ${place}`}
        title="Stop watching"
        onClick={() => unwatch(item.id)}
      >
        <Icon name="close" size={13} />
      </ActionIcon>
    </Group>
  );
}

function Notifications() {
  const { watches, notify, dontNotify } = useWatch();
  const [isRefused, setRefused] = useState(false);
  const isOn = watches.notify === 'yes';
  return (
    <Muted>
      {isOn ? 'Background notification on. ' : ''}
      <Anchor
        component="button"
        onClick={isOn ? dontNotify : async () => setRefused((await notify()) === 'refused')}
      >
        {isOn ? 'Turn off' : 'Turn on background notification'}
      </Anchor>
      {isRefused ? <span role="alert"> Notifications are blocked by this browser.</span> : null}
    </Muted>
  );
}

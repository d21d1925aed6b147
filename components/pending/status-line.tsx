'use client';
import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { serverTime, useNow } from '@/components/ui/clock';
import type { IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { groupDigits } from '@/lib/core/numbers';
import { formatAge, MINUTE_MS } from '@/lib/core/time';
import { type ShownStatus, shownStatus } from '@/lib/pending/client/shown-status';
import { type RenderedIndex, useStuckCount } from '@/lib/pending/client/stuck-count';
import { isWhole, type TriageView } from '@/lib/pending/client/use-triage';
import type { TriageAnswer } from '@/lib/pending/pending-response';
import { NO_OUTCOME, STUCK_EXPLANATION } from '@/lib/pending/rules/rule-texts';
import { severityTone } from '@/lib/pending/severity';
import { useRevision } from '@/lib/requests/client/revision-stream';
import { defaultRequestsView } from '@/lib/requests/view';
import { formatRequestsUrl } from '@/lib/requests/view-url';
import { ToneBox, ToneIcon } from './tone-box';

const LOOKS: Record<ShownStatus['kind'], { icon: IconName; tone: string }> = {
  syncing: { icon: 'dotted', tone: 'idle' },
  stuck: { icon: 'alert', tone: 'bad' },
  calm: { icon: 'check', tone: 'good' },
  unknown: { icon: 'question', tone: 'odd' },
};

/** `degraded` counts networks. */
type Props = { view: TriageView; rendered: RenderedIndex; degraded: number };

export function StatusLine({ view, rendered, degraded }: Props) {
  const count = useStuckCount(rendered);
  const { kind, title, detail, checkedAtMs, syncedAtMs } = shownStatus(view, count, degraded);
  const titleId = useId();
  const { answer } = view;
  const { icon, tone: defaultTone } = LOOKS[kind];
  const tone = count.kind === 'stuck' ? severityTone(count.worst) : defaultTone;
  return (
    <ToneBox
      tone={tone}
      // The height of its longest usual text, so that later sentences and counts move nothing below.
      mih={{ base: '10rem', sm: '4.5rem' }}
      data-status={kind}
      aria-labelledby={titleId}
    >
      <Group justify="space-between" gap="xs">
        {/* Two lines of detail on a phone, so that a later one does not move the counts. */}
        <Box role="status" mih={{ base: '5rem', sm: 0 }}>
          <Title order={2} size="xl" id={titleId}>
            <ToneIcon tone={tone} icon={icon} /> {title}
          </Title>
          <Muted title={kind === 'stuck' ? STUCK_EXPLANATION : undefined}>{detail}</Muted>
        </Box>
        <Group gap="2px var(--ks-gap-lg)" w={{ base: '100%', sm: 'auto' }}>
          {answer === undefined || answer.state === 'syncing' ? null : (
            <Counts counts={answer.counts} isWhole={isWhole(view)} />
          )}
          {checkedAtMs === undefined || syncedAtMs === undefined ? (
            <Muted size="sm">{kind === 'stuck' ? 'Still syncing' : uncheckedText(answer)}</Muted>
          ) : (
            <SyncedAt atMs={syncedAtMs} checkedAtMs={checkedAtMs} />
          )}
        </Group>
      </Group>
    </ToneBox>
  );
}

/** After a restart a keeper may have been read before, but not its pending requests since. */
const uncheckedText = (answer: TriageAnswer | undefined) =>
  answer?.index.every(({ syncedAtMs }) => syncedAtMs !== null) ? 'Not checked yet' : 'Not synced yet';

/** Time of the last sync. From two minutes on, its age by the server's clock is a warning. */
function SyncedAt({ atMs, checkedAtMs }: { atMs: number; checkedAtMs: number }) {
  const moment = useSteadyWords();
  const clockMs = useNow();
  const update = useRevision();
  const ageMs = update === undefined ? 0 : serverTime(clockMs, update) - atMs;
  const isOld = ageMs >= 2 * MINUTE_MS;
  return (
    <Text
      size="sm"
      className="num"
      title={`Open requests checked ${moment(checkedAtMs)}`}
      c={isOld ? 'var(--ks-wait)' : 'dimmed'}
    >
      Synced {moment(atMs)}
      {isOld && `, ${formatAge(ageMs)} ago`}
    </Text>
  );
}

type CountsProps = { counts: TriageAnswer['counts']; isWhole: boolean };

function Counts({ counts, isWhole }: CountsProps) {
  const all = formatRequestsUrl({ ...defaultRequestsView(), states: ['pending'], time: { kind: 'all' } });
  const unseen = counts.missing + counts.unreadable;
  const shown: [string, string, number][] = [
    ['slow', 'Slow', counts.slow],
    ['within-normal', 'Within normal', counts.withinNormal],
    ['unseen', 'Unreadable or too many', unseen],
    ['unknown-state', 'In unknown states', counts.unknownState],
    ['gone', 'No longer served', counts.gone],
  ];
  return (
    <Group component="dl" gap="2px var(--ks-gap-md)">
      <Count id="pending" name="Pending" means={NO_OUTCOME}>
        {isWhole ? '' : 'at least '}
        <Link href={all} aria-label={`${groupDigits(counts.pending)} pending, view requests`}>
          {groupDigits(counts.pending)}
        </Link>
      </Count>
      {shown.map(([id, name, value]) =>
        value === 0 ? null : (
          <Count key={id} id={id} name={name}>
            {groupDigits(value)}
          </Count>
        ),
      )}
    </Group>
  );
}

type CountProps = { id: string; name: string; means?: string; children: ReactNode };

function Count({ id, name, means, children }: CountProps) {
  return (
    <Group gap={6} data-count={id} title={means}>
      <Muted component="dt">{name}</Muted>
      <Text component="dd" fw={650} className="num">
        {children}
      </Text>
    </Group>
  );
}

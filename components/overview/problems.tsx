'use client';
import { Group, Paper, Text } from '@mantine/core';
import type { Route } from 'next';
import { useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { MutedInline, SmallButton } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { countText } from '@/lib/insights/format';
import type { Problem, ProblemsAnswer } from '@/lib/insights/problem';
import classes from './overview.module.css';
import { useProblemsOfOverview } from './use-insights';

const LOOKS: Record<Problem['level'], { icon: IconName; word: string; tone: string }> = {
  bad: { icon: 'alert', word: 'Critical', tone: 'bad' },
  warning: { icon: 'alert', word: 'Warning', tone: 'warn' },
  notice: { icon: 'dotted', word: 'Notice', tone: 'idle' },
};

/** The stylesheet has a layout for each number up to this. No screen has room for more. */
const MAX_SIZE_CLASS = 7;

export function Problems() {
  const { answer } = useProblemsOfOverview();
  const [isOpen, setOpen] = useState(false);
  const problems = answer?.problems ?? [];
  return (
    <Paper
      component="section"
      withBorder
      radius="lg"
      className={classes.problems}
      aria-label="Problems now"
      data-problems={problems.length}
      data-size={Math.min(problems.length, MAX_SIZE_CLASS)}
      data-open={isOpen || undefined}
    >
      {problems.length === 0 ? (
        <Quiet />
      ) : (
        <ul>
          {problems.map((problem, at) => (
            // Keyed by position, because an element that moves would count as layout shift.
            // biome-ignore lint/suspicious/noArrayIndexKey: the key is the place
            <Line key={at} problem={problem} />
          ))}
          {/* CSS shows this if there is no room for all problems. */}
          <li className={classes.rest}>
            <SmallButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show fewer' : `All ${problems.length} problems`}
            </SmallButton>
          </li>
        </ul>
      )}
    </Paper>
  );
}

function Line({ problem }: { problem: Problem }) {
  const network = useNetworkName();
  const moment = useSteadyWords();
  const { level, kind, about, networks, text, sinceMs, isOfOldest, detail, href } = problem;
  const names = networks.slice(0, 3).map((id) => clipped(network(id), 40));
  const hiddenCount = networks.length - names.length;
  const named = `${names.join(', ')}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}`;
  const { icon, word, tone } = LOOKS[level];
  const title = `${about === '' ? named : about}:`;
  const since = sinceMs === null ? '' : `${isOfOldest ? 'oldest' : 'since'} ${moment(sinceMs)}`;
  const cause = [since, detail, about === '' ? '' : named].filter((part) => part !== '').join(' · ');
  return (
    <li data-level={level} data-problem={kind}>
      <Link href={href as Route} style={{ color: `var(--ks-${tone})` }} title={`${title} ${text}\n${cause}`}>
        <Icon name={icon} size={15} />
        <span className="sr-only">{word}: </span>
        <span className={classes.told}>
          <span>
            <strong>{title}</strong> <Unbroken text={text} />
          </span>{' '}
          <MutedInline>{cause}</MutedInline>
        </span>
        <Icon name="right" size={13} />
      </Link>
    </li>
  );
}

/** A shortened hash stays on one line. */
function Unbroken({ text }: { text: string }) {
  return text.split(/(\S+…\S+)/).map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <span key={part} style={{ whiteSpace: 'nowrap' }}>
        {part}
      </span>
    ),
  );
}

function Quiet() {
  const { answer, trouble } = useProblemsOfOverview();
  const moment = useSteadyWords();
  const { syncing = [], quietSinceMs = null, acknowledged = 0 } = answer ?? {};
  const [icon, tone, words]: [IconName, string, string] =
    trouble !== undefined
      ? ['question', 'odd', `Problems: unknown. ${trouble.title}.`]
      : answer === undefined
        ? ['dotted', 'idle', 'Checking for problems…']
        : syncing.length > 0
          ? ['dotted', 'idle', syncingText(syncing)]
          : answer.compared === null
            ? ['dotted', 'idle', 'No problems so far; networks not compared yet']
            : [
                'check',
                'good',
                `${acknowledged === 0 ? 'No problems' : 'No other problems'}${quietSinceMs === null ? '' : ` since ${moment(quietSinceMs)}`}`,
              ];
  return (
    <Group role="status" gap="xs" px="sm" h="100%" wrap="nowrap" data-quiet={tone}>
      <Text span c={`var(--ks-${tone})`} lh={1}>
        <Icon name={icon} size={15} />
      </Text>
      <MutedInline>{words}</MutedInline>
      {acknowledged === 0 ? null : <Link href="/pending/alerts">{countText(acknowledged)} acknowledged</Link>}
    </Group>
  );
}

/** `Syncing history of main, 42%`. */
function syncingText(syncing: ProblemsAnswer['syncing']): string {
  const parts = syncing.map(
    ({ keeper, percent }) => `${clipped(keeper, 40)}${percent === null ? '' : ` ${percent}%`}`,
  );
  return `No problems so far; syncing history of ${parts.join(', ')}`;
}

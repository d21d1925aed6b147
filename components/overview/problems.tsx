'use client';
import { Group, Paper, Text } from '@mantine/core';
import type { Route } from 'next';
import { useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { Link } from '@/components/ui/link';
import { useNetworkName } from '@/components/ui/networks';
import { Dim, SmallButton } from '@/components/ui/text';
import { useSteadyWords } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { countText } from '@/lib/insights/format';
import type { Problem, ProblemsAnswer } from '@/lib/insights/problems';
import classes from './overview.module.css';
import { useProblems } from './use-insights';

const LOOKS: Record<Problem['level'], { icon: IconName; word: string; tone: string }> = {
  bad: { icon: 'alert', word: 'Critical', tone: 'bad' },
  warning: { icon: 'alert', word: 'Warning', tone: 'warn' },
  notice: { icon: 'dotted', word: 'Notice', tone: 'idle' },
};

/** More lines than this would leave no room for the figures. */
const MOST_LINES = 5;
/** Room for as many at least: the next problem must not stand behind a button, nor move what stands below. */
const MIN_LINES = 2;

/** What is wrong, a line each and worst first; or, in one quiet line, that nothing is. */
export function Problems() {
  const { answer } = useProblems();
  // What stands below must not move when one more comes: the room is that of the first answer.
  const [lines, setLines] = useState(() =>
    Math.max(MIN_LINES, Math.min(MOST_LINES, answer?.problems.length ?? 0)),
  );
  const problems = answer?.problems ?? [];
  // The worst come first, and what is critical is never folded.
  const critical = problems.filter(({ level }) => level === 'bad').length;
  const shown = Math.max(lines, critical);
  const hidden = problems.length - shown;
  return (
    <Paper
      component="section"
      withBorder
      radius="lg"
      className={classes.problems}
      style={{ '--lines': lines } as React.CSSProperties}
      aria-label="Problems now"
      data-problems={problems.length}
    >
      {problems.length === 0 ? (
        <Quiet />
      ) : (
        <ul>
          {problems.slice(0, shown).map((problem) => (
            <Line key={problem.id} problem={problem} />
          ))}
        </ul>
      )}
      {hidden > 0 ? <SmallButton onClick={() => setLines(problems.length)}>{hidden} more</SmallButton> : null}
    </Paper>
  );
}

function Line({ problem }: { problem: Problem }) {
  const network = useNetworkName();
  const moment = useSteadyWords();
  const { level, kind, about, networks, text, sinceMs, detail, href } = problem;
  const names = networks.slice(0, 3).map((id) => clipped(network(id), 40));
  const more = networks.length - names.length;
  const named = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const { icon, word, tone } = LOOKS[level];
  return (
    <li data-level={level} data-problem={kind}>
      <Link href={href as Route} style={{ color: `var(--ks-${tone})` }}>
        <Icon name={icon} size={15} />
        <span className="sr-only">{word}: </span>
        <Text span c="var(--ks-text)" flex={1} lh={1.3} lineClamp={2} className="num">
          <strong>{about === '' ? named : about}:</strong> {text}
          {sinceMs === null ? '' : ` since ${moment(sinceMs)}`}
          <Dim>
            {detail === '' ? '' : ` · ${detail}`}
            {about !== '' && named !== '' ? ` · ${named}` : ''}
          </Dim>
        </Text>
        <Icon name="right" size={13} />
      </Link>
    </li>
  );
}

function Quiet() {
  const { answer, trouble } = useProblems();
  const moment = useSteadyWords();
  const { syncing = [], quietSinceMs = null, acknowledged = 0 } = answer ?? {};
  const [icon, tone, words]: [IconName, string, string] =
    trouble !== undefined
      ? ['question', 'odd', `Problems: unknown. ${trouble.title}.`]
      : answer === undefined
        ? ['dotted', 'idle', 'Checking for problems…']
        : syncing.length > 0
          ? ['dotted', 'idle', syncingText(syncing)]
          : ['check', 'good', `No problems${quietSinceMs === null ? '' : ` since ${moment(quietSinceMs)}`}`];
  return (
    <Group role="status" gap="xs" px="sm" h="var(--line)" data-quiet={tone}>
      <Text span c={`var(--ks-${tone})`} lh={1}>
        <Icon name={icon} size={15} />
      </Text>
      <Dim>{words}</Dim>
      {acknowledged === 0 ? null : <Link href="/pending">{countText(acknowledged)} acknowledged</Link>}
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

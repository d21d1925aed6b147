'use client';
import { Button, Text } from '@mantine/core';
import type { Route } from 'next';
import Link from 'next/link';
import { useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icons';
import { useSteadyWords } from '@/components/ui/time-style';
import { clipped } from '@/lib/core/text';
import { countText } from '@/lib/insights/format';
import type { Problem, ProblemsAnswer } from '@/lib/insights/problems';
import classes from './overview.module.css';
import { useNetworkName, useProblems } from './use-insights';

const LOOKS: Record<Problem['level'], { icon: IconName; word: string }> = {
  bad: { icon: 'alert', word: 'Critical' },
  warning: { icon: 'alert', word: 'Warning' },
  notice: { icon: 'dotted', word: 'Notice' },
};

/** More lines than this would leave no room for the figures. */
const MOST_LINES = 5;
/** Room for as many, where the server did not know them in time. */
const LIKELY_LINES = 2;

/** What is wrong, a line each and worst first; or, in one quiet line, that nothing is. */
export function Problems({ first }: { first: ProblemsAnswer | undefined }) {
  const { answer, trouble } = useProblems(first);
  // What stands below must not move when one more comes: the room is that of the first answer.
  const [lines, setLines] = useState(() =>
    Math.max(1, Math.min(MOST_LINES, first?.problems.length ?? LIKELY_LINES)),
  );
  const problems = answer?.problems ?? [];
  const hidden = problems.length - lines;
  return (
    <section className={classes.problems} aria-label="Problems now" data-problems={problems.length}>
      {problems.length === 0 ? (
        <Quiet answer={answer} trouble={trouble?.title} lines={first === undefined ? LIKELY_LINES : 1} />
      ) : (
        <ul style={{ '--lines': lines } as React.CSSProperties}>
          {problems.slice(0, lines).map((problem) => (
            <Line key={problem.id} problem={problem} />
          ))}
        </ul>
      )}
      {hidden > 0 ? (
        <Button size="compact-xs" className={classes.more} onClick={() => setLines(problems.length)}>
          {hidden} more
        </Button>
      ) : null}
    </section>
  );
}

function Line({ problem }: { problem: Problem }) {
  const network = useNetworkName();
  const moment = useSteadyWords();
  const { level, kind, about, networks, text, sinceMs, detail, href } = problem;
  const names = networks.slice(0, 3).map((id) => clipped(network(id), 40));
  const more = networks.length - names.length;
  const named = `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  const { icon, word } = LOOKS[level];
  return (
    <li className={classes.line} data-level={level} data-problem={kind}>
      <Link href={href as Route} prefetch={false}>
        <Icon name={icon} size={15} />
        <span className="sr-only">{word}: </span>
        <span className={classes.what}>
          <strong>{about === '' ? named : about}</strong> {text}
          {sinceMs === null ? '' : ` since ${moment(sinceMs)}`}
          <span className={classes.why}>
            {detail === '' ? '' : ` · ${detail}`}
            {about !== '' && named !== '' ? ` · ${named}` : ''}
          </span>
        </span>
        <Icon name="right" size={13} />
      </Link>
    </li>
  );
}

function Quiet({
  answer,
  trouble,
  lines,
}: {
  answer: ProblemsAnswer | undefined;
  trouble: string | undefined;
  lines: number;
}) {
  const moment = useSteadyWords();
  const { syncing = [], quietSinceMs = null, acknowledged = 0 } = answer ?? {};
  const [first] = syncing;
  const [icon, tone, words]: [IconName, string, string] =
    trouble !== undefined
      ? ['question', 'odd', `Problems: unknown. ${trouble}.`]
      : answer === undefined
        ? ['dotted', 'idle', 'Checking for problems…']
        : first !== undefined
          ? ['dotted', 'idle', syncingText(syncing)]
          : ['check', 'good', `No problems${quietSinceMs === null ? '' : ` since ${moment(quietSinceMs)}`}`];
  return (
    <Text
      role="status"
      className={classes.quiet}
      data-quiet={tone}
      style={{ '--lines': lines } as React.CSSProperties}
    >
      <span style={{ color: `var(--ks-${tone})` }}>
        <Icon name={icon} size={15} />
      </span>
      {words}
      {acknowledged === 0 ? null : (
        <Link href="/pending" prefetch={false}>
          {countText(acknowledged)} acknowledged
        </Link>
      )}
    </Text>
  );
}

/** `Syncing history of main, 42%`. */
function syncingText(syncing: ProblemsAnswer['syncing']): string {
  const parts = syncing.map(
    ({ keeper, percent }) => `${clipped(keeper, 40)}${percent === null ? '' : ` ${percent}%`}`,
  );
  return `No problems so far; syncing history of ${parts.join(', ')}`;
}

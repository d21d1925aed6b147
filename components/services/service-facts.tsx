'use client';
import type { ReactNode } from 'react';
import { groupDigits } from '@/lib/client/human-number';
import {
  budgetWords,
  checkFact,
  clockFact,
  type Fact,
  keyAnswerFact,
  keyFact,
  latencyWords,
  pauseFact,
  reachFact,
} from '@/lib/client/service-words';
import { useSteadyWords } from '@/lib/client/time-style';
import type { BudgetReport, HostReport } from '@/lib/contract/codec/service-report';
import classes from './service-panel.module.css';

/** The figures of a host, each with its name. */
export function ServiceFacts({ label, host, nowMs }: { label: string; host: HostReport; nowMs: number }) {
  const moment = useSteadyWords();
  const { check } = host;
  return (
    <dl className={classes.facts}>
      <Row name="Key" fact={keyFact(host.key, moment)} />
      <Row name="Key accepted" fact={keyAnswerFact(label, host, nowMs)} />
      <Row name="Reachable" fact={reachFact(host, nowMs)} />
      {check === undefined ? null : <Row name="Check" fact={checkFact(check, nowMs)} />}
      <Row name="Clock" fact={clockFact(host, nowMs, moment)} />
      <Row name="Rate limit" fact={pauseFact(host, nowMs)} />
      <Line name="Answer times">
        <AnswerTimes host={host} />
      </Line>
      <Line name="Call budget">
        <Budget budget={host.budget} />
      </Line>
    </dl>
  );
}

function Row({ name, fact }: { name: string; fact: Fact }) {
  return (
    <Line name={name}>
      <span className={`${classes.words} foreign`} data-tone={fact.tone}>
        {fact.words}
      </span>
    </Line>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

function AnswerTimes({ host }: { host: HostReport }) {
  const times = latencyWords(host);
  if (times === undefined) return <>no call yet</>;
  const { calls } = host.calls.latency ?? { calls: 0 };
  return (
    <>
      {times.map(({ name, words }) => (
        <span key={name} className={classes.time}>
          <span className={classes.faint}>{name}</span> {words}
        </span>
      ))}
      <span className={classes.faint}>
        of the last {groupDigits(String(calls))} {calls === 1 ? 'call' : 'calls'}
      </span>
    </>
  );
}

function Budget({ budget }: { budget: BudgetReport }) {
  const { used, burst } = budget;
  return (
    <>
      <meter
        className={classes.meter}
        aria-label="Call budget used"
        min={0}
        max={burst}
        high={burst * 0.8}
        optimum={0}
        value={used}
      />
      {budgetWords(budget)}
    </>
  );
}

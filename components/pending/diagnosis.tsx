'use client';
import { Progress } from '@mantine/core';
import Link from 'next/link';
import { useNow } from '@/components/ui/clock';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon, type IconName } from '@/components/ui/icons';
import { useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import type {
  DiagnosisAnswer,
  DiagnosisAsked,
  EvidenceUsed,
  Figure,
  PendingSettings,
  Severity,
  Verdict,
} from '@/lib/pending/answers';
import { isOver, useDiagnosis } from '@/lib/pending/client';
import { keeperActivity } from '@/lib/pending/rules/thresholds';
import { LIMITATIONS, NO_RETRY_YET, nextSteps, RULE_TITLES, spanText } from '@/lib/pending/rules/verdict';
import { linkOfKey } from '@/lib/requests/request-address';
import classes from './diagnosis.module.css';

type Props = {
  asked: DiagnosisAsked;
  /** When the request was created, unix ms. */
  sinceMs: number;
};

/** Why a pending request is pending, as far as the log can tell: clock, comparison, rules and next steps. */
export function RequestDiagnosis({ asked, sinceMs }: Props) {
  const { answer, trouble, again } = useDiagnosis(asked);
  const told = trouble && explainFailure(trouble);
  return (
    <div
      className={classes.diagnosis}
      data-diagnosis={answer?.diagnosis === undefined ? 'none' : answer.state}
      data-top-rule={answer?.diagnosis?.topRule}
    >
      {told === undefined ? null : (
        <p className={classes.trouble} role="alert">
          {told.title}.{answer === undefined ? '' : ' Outdated.'} {told.todo}{' '}
          <button type="button" className={classes.textButton} onClick={again}>
            Try again
          </button>
        </p>
      )}
      {answer === undefined ? (
        <p className={classes.waiting}>{told === undefined ? 'Loading diagnosis…' : 'No diagnosis'}</p>
      ) : (
        <Answered answer={answer} sinceMs={sinceMs} />
      )}
    </div>
  );
}

const NOT_DIAGNOSED: Record<DiagnosisAnswer['found'], string> = {
  one: 'Loading diagnosis…',
  several: 'Several requests share this sequence',
  none: 'Not in the log',
  gone: 'No longer served by its keeper',
  'not-known': 'Not synced yet',
};

function Answered({ answer, sinceMs }: { answer: DiagnosisAnswer; sinceMs: number }) {
  const moment = useMomentWords();
  const { diagnosis, found, missing, markdown, atMs, settings } = answer;
  if (isOver(answer)) return <p>No longer pending: its outcome is logged.</p>;
  if (diagnosis === undefined) return <p className={classes.soft}>{NOT_DIAGNOSED[found]}</p>;
  const { verdicts, topRule, survival } = diagnosis;
  const top = verdicts.find(({ rule }) => rule === topRule);
  const clock = { sinceMs, atMs, settings };
  return (
    <>
      <RetryClock {...clock} />
      {survival === undefined ? null : (
        <p>
          Of the network’s last <span className="num">{survival.finished}</span> finished requests, 99% were
          done after {spanText(survival.p99Ms)}; {survival.longer === 0 ? 'none' : survival.longer} took
          longer than this.
        </p>
      )}
      {missing.length === 0 ? null : (
        <div className={classes.missing} role="status">
          <p>Missing data</p>
          <ul>
            {missing.map(({ what, why }) => (
              <li key={what}>
                {clipped(what, 100)}: {clipped(why, 300)}
              </li>
            ))}
          </ul>
        </div>
      )}
      <VerdictList
        verdicts={top === undefined ? verdicts : [top, ...verdicts.filter((verdict) => verdict !== top)]}
      />
      <NextSteps rule={topRule} isPending />
      <p className={classes.faint}>
        Updated {moment(atMs)}
        {markdown === undefined ? null : (
          <>
            {' · '}Report <CopyButton value={markdown} label="Copy report" />
          </>
        )}
      </p>
    </>
  );
}

/** What to do, and what these logs can't show. */
export function NextSteps({ rule, isPending }: { rule: Verdict['rule'] | undefined; isPending: boolean }) {
  return (
    <>
      <div>
        <p className={classes.title}>Next steps</p>
        <ul className={classes.bullets}>
          {[...nextSteps(rule), ...(isPending ? [NO_RETRY_YET] : [])].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ul>
      </div>
      <Limitations />
    </>
  );
}

/** What these logs can't show. */
export function Limitations() {
  return (
    <details className={classes.soft}>
      <summary>Limitations</summary>
      <ul className={classes.bullets}>
        {LIMITATIONS.map((what) => (
          <li key={what}>{what}</li>
        ))}
      </ul>
    </details>
  );
}

type Clock = {
  /** When the request was created, and when it was last looked at; unix ms. */
  sinceMs: number;
  atMs: number;
  settings: PendingSettings;
};

/** How old a pending request is beside the time for which its keeper retries, and what the keeper is probably doing. */
export function RetryClock({ sinceMs, atMs, settings }: Clock) {
  // Ticks by this browser's clock, whatever it was when the evidence was looked at.
  const ageMs = Math.max(0, useNow(atMs) - sinceMs);
  const { kind, text } = keeperActivity(ageMs, settings);
  const share = Math.min(100, (ageMs / Math.max(1, settings.stuckAfterS * 1000)) * 100);
  return (
    <div className={classes.clock} data-activity={kind}>
      <p>
        <strong className="num">{formatAge(ageMs)}</strong>{' '}
        <span className={classes.soft}>
          old, of a retry budget of {spanText(settings.retryBudgetS * 1000)}
        </span>
      </p>
      <Progress value={share} size="sm" color="var(--tone)" aria-hidden="true" />
      <p>{text}</p>
      <p className={classes.faint}>
        {settings.origin === 'usual'
          ? 'By the keeper’s usual settings.'
          : 'By the settings of this dashboard.'}
      </p>
    </div>
  );
}

const SEVERITIES: Record<Severity, { word: string; icon: IconName }> = {
  none: { word: 'Passed', icon: 'check' },
  notice: { word: 'Notice', icon: 'clock' },
  warning: { word: 'Warning', icon: 'alert' },
  critical: { word: 'Critical', icon: 'cross' },
};

/** How grave something is: shape, word and colour. */
export function SeverityMark({ severity }: { severity: Severity }) {
  const { word, icon } = SEVERITIES[severity];
  return (
    <span className={classes.severity} data-severity={severity}>
      <Icon name={icon} size={13} />
      {word}
    </span>
  );
}

/** A figure for people: lengths of time in two units, counts with groups of digits, texts of strangers made harmless. */
export function figureText({ value, unit }: Figure, moment: (ms: number) => string): string {
  switch (unit) {
    case 'ms':
      return formatDuration(Number(value));
    case 'moment':
      return moment(Number(value));
    case 'percent':
      return `${value}%`;
    case 'hex':
    case 'text':
      return clipped(String(value), 300);
    default:
      return groupDigits(String(value));
  }
}

const EVIDENCE: Record<EvidenceUsed['id'], string> = {
  E1: 'All pending requests of the keeper',
  E2: 'The network around the request',
  E3: 'The sender’s newest requests',
  E4: 'Requests with the same sequence',
  E5: 'Requests of the same transaction',
  E6: 'The network’s newest request, and the last 24 hours',
  finished: 'The network’s last finished requests',
  others: 'The network in that stretch of time',
};

/** Proof that stands there at once; the rest unfolds. */
const PROOF_SHOWN = 6;

/**
 * Verdicts with what they rest on. Those that hold stand open, in the order given; what is unknown and what is ruled out
 * follow, folded, where there are any.
 */
export function VerdictList({ verdicts }: { verdicts: readonly Verdict[] }) {
  const of = (holds: Verdict['holds']) => verdicts.filter((verdict) => verdict.holds === holds);
  const held = of('yes');
  return (
    <div className={classes.list}>
      {held.length === 0 ? <p className={classes.soft}>No rule holds.</p> : null}
      <ul className={classes.list}>
        {held.map((verdict, index) => (
          <HeldVerdict key={verdict.rule} verdict={verdict} isFirst={index === 0} />
        ))}
      </ul>
      <OtherVerdicts title="Unknown" verdicts={of('unknown')} />
      <OtherVerdicts title="Ruled out" verdicts={of('no')} />
    </div>
  );
}

/** One verdict that holds, with figures, the rows that prove it, and the calls behind it. */
function HeldVerdict({ verdict, isFirst }: { verdict: Verdict; isFirst: boolean }) {
  const { rule, severity, basis, headline, missing, proof, figures, evidence } = verdict;
  return (
    <li className={classes.verdict} data-rule={rule} data-holds="yes" data-severity={severity}>
      <p className={classes.head}>
        <SeverityMark severity={severity} />
        <span className={classes.rule}>{RULE_TITLES[rule]}</span>
        <span className={classes.faint}>{isFirst ? `Likely cause · ${rule}` : rule}</span>
        {basis === 'estimate' ? <span className={classes.estimate}>Estimate</span> : null}
      </p>
      <p>{headline}.</p>
      <Figures figures={figures} />
      {missing === undefined ? null : <p className={classes.soft}>Unknown: {missing}.</p>}
      <Proof keys={proof} />
      <Calls evidence={evidence} />
    </li>
  );
}

function Figures({ figures }: { figures: readonly Figure[] }) {
  const moment = useSteadyWords();
  if (figures.length === 0) return null;
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <div key={figure.label}>
          <dt>{figure.label}</dt>
          <dd className="num">
            <bdi>{figureText(figure, moment)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Links to the rows that prove it; more than a few unfold. */
function Proof({ keys }: { keys: readonly string[] }) {
  const links = keys.flatMap((key) => {
    const request = linkOfKey(key);
    if (request === undefined) return [];
    return [
      <Link key={key} href={request.href} prefetch={false} className="num">
        {request.label}
      </Link>,
    ];
  });
  if (links.length === 0) return null;
  return (
    <div className={classes.proof}>
      <span className={classes.faint}>Proof:</span> {links.slice(0, PROOF_SHOWN)}
      {links.length <= PROOF_SHOWN ? null : (
        <details>
          <summary>{links.length - PROOF_SHOWN} more</summary>
          <div className={classes.proof}>{links.slice(PROOF_SHOWN)}</div>
        </details>
      )}
    </div>
  );
}

/** The calls behind a verdict, each to be copied and run again. */
function Calls({ evidence }: { evidence: readonly EvidenceUsed[] }) {
  const moment = useSteadyWords();
  if (evidence.length === 0) return null;
  return (
    <details className={classes.calls}>
      <summary>
        Evidence: {evidence.length} {evidence.length === 1 ? 'call' : 'calls'}
      </summary>
      {evidence.map(({ id, query, atMs }) => {
        const curl = logsCallAsCurl(new URLSearchParams(query));
        return (
          <div key={query}>
            <p>
              {EVIDENCE[id]} <span className={classes.faint}>({id})</span>, answered {moment(atMs)}{' '}
              <CopyButton value={curl} label={`Copy the call of ${id} as curl`} />
            </p>
            <pre className="foreign">{curl}</pre>
          </div>
        );
      })}
    </details>
  );
}

function OtherVerdicts({ title, verdicts }: { title: string; verdicts: readonly Verdict[] }) {
  if (verdicts.length === 0) return null;
  return (
    <details>
      <summary>
        {title} ({verdicts.length})
      </summary>
      <ul className={classes.list}>
        {verdicts.map(({ rule, holds, headline, missing, figures, evidence }) => (
          <li key={rule} data-rule={rule} data-holds={holds}>
            <p>
              <span className={classes.rule}>{RULE_TITLES[rule]}</span>{' '}
              <span className={classes.faint}>{rule}</span>{' '}
              {holds === 'unknown' ? (missing ?? headline) : headline}.
            </p>
            <Figures figures={figures} />
            <Calls evidence={evidence} />
          </li>
        ))}
      </ul>
    </details>
  );
}

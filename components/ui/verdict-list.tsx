import Link from 'next/link';
import { Fragment } from 'react';
import type { EvidenceUsed } from '@/lib/domain/diagnosis/evidence';
import { type Figure, RULE_TITLES, type Verdict } from '@/lib/domain/diagnosis/verdict';
import { CopyButton } from './copy-button';
import { Icon } from './icons';
import classes from './verdict-list.module.css';
import { VerdictSeverity } from './verdict-severity';
import { EVIDENCE_WORDS, isForeign, type VerdictWords } from './verdict-words';

/** Proof that stands there at once; the rest unfolds. */
const PROOF_SHOWN = 6;

/**
 * Verdicts with what they rest on. Those that hold stand open, in the order given; what could not be told and what does
 * not hold follow, folded, where there are any.
 */
export function VerdictList({ verdicts, words }: { verdicts: readonly Verdict[]; words: VerdictWords }) {
  const of = (holds: Verdict['holds']) => verdicts.filter((verdict) => verdict.holds === holds);
  const held = of('yes');
  return (
    <div className={classes.list}>
      {held.length === 0 ? (
        <p className={classes.soft}>No rule holds.</p>
      ) : (
        <ul className={classes.held}>
          {held.map((verdict) => (
            <HeldVerdict key={verdict.rule} verdict={verdict} words={words} />
          ))}
        </ul>
      )}
      <OtherVerdicts title="Could not be told" verdicts={of('unknown')} words={words} />
      <OtherVerdicts title="Checked, and does not hold" verdicts={of('no')} words={words} />
    </div>
  );
}

/** One verdict that holds, with figures, the rows that prove it, and the calls behind it. */
function HeldVerdict({ verdict, words }: { verdict: Verdict; words: VerdictWords }) {
  return (
    <li
      className={classes.verdict}
      data-rule={verdict.rule}
      data-holds="yes"
      data-severity={verdict.severity}
    >
      <p className={classes.head}>
        <VerdictSeverity severity={verdict.severity} />
        <span className={classes.rule}>
          {RULE_TITLES[verdict.rule]} <span className={classes.number}>{verdict.rule}</span>
        </span>
        {verdict.basis === 'estimate' ? (
          <span className={classes.estimate} title="The figures suggest it; a condition has not been checked">
            Estimate
          </span>
        ) : null}
      </p>
      <p className={classes.headline}>{verdict.headline}.</p>
      <VerdictFigures figures={verdict.figures} words={words} />
      {verdict.missing === undefined ? null : (
        <p className={classes.missing}>
          <Icon name="question" size={13} /> Not known: {verdict.missing}.
        </p>
      )}
      <VerdictProof keys={verdict.proof} words={words} />
      <VerdictCalls evidence={verdict.evidence} words={words} />
    </li>
  );
}

/** Figures by their names. */
export function VerdictFigures({ figures, words }: { figures: readonly Figure[]; words: VerdictWords }) {
  if (figures.length === 0) return null;
  return (
    <dl className={classes.figures}>
      {figures.map((figure) => (
        <div key={figure.label} className={classes.figure}>
          <dt>{figure.label}</dt>
          <dd className="num">
            {isForeign(figure) ? <bdi className="mono">{words.figure(figure)}</bdi> : words.figure(figure)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Links to the rows that prove it; more than a few unfold. */
export function VerdictProof({ keys, words }: { keys: readonly string[]; words: VerdictWords }) {
  if (keys.length === 0) return null;
  const more = keys.slice(PROOF_SHOWN);
  return (
    <div className={classes.proof}>
      <span className={classes.soft}>Proof:</span>
      <ProofLinks keys={keys.slice(0, PROOF_SHOWN)} words={words} />
      {more.length === 0 ? null : (
        <details className={classes.more}>
          <summary>{more.length} more</summary>
          <div className={classes.proof}>
            <ProofLinks keys={more} words={words} />
          </div>
        </details>
      )}
    </div>
  );
}

function ProofLinks({ keys, words }: { keys: readonly string[]; words: VerdictWords }) {
  return keys.map((key) => {
    const request = words.request(key);
    if (request === undefined) return null;
    return (
      <Link key={key} href={request.href} prefetch={false} className="num">
        {request.label}
      </Link>
    );
  });
}

/** The calls behind a verdict, each to be copied and run again. */
export function VerdictCalls({
  evidence,
  words,
}: {
  evidence: readonly EvidenceUsed[];
  words: VerdictWords;
}) {
  if (evidence.length === 0) return null;
  return (
    <details className={classes.calls}>
      <summary>
        Evidence: {evidence.length} {evidence.length === 1 ? 'call' : 'calls'}
      </summary>
      {evidence.map(({ id, query, atMs }) => {
        const curl = words.curl(query);
        return (
          <Fragment key={query}>
            <p className={classes.callName}>
              {EVIDENCE_WORDS[id]} <span className={classes.soft}>({id})</span>, answered {words.moment(atMs)}
            </p>
            <div className={classes.command}>
              <pre className="foreign">{curl}</pre>
              <CopyButton value={curl} label={`Copy the call of ${id} as curl`} />
            </div>
          </Fragment>
        );
      })}
    </details>
  );
}

function OtherVerdicts({
  title,
  verdicts,
  words,
}: {
  title: string;
  verdicts: readonly Verdict[];
  words: VerdictWords;
}) {
  if (verdicts.length === 0) return null;
  return (
    <details className={classes.others}>
      <summary>
        {title} ({verdicts.length})
      </summary>
      <ul>
        {verdicts.map((verdict) => (
          <li
            key={verdict.rule}
            className={classes.other}
            data-rule={verdict.rule}
            data-holds={verdict.holds}
          >
            <p>
              <span className={classes.rule}>
                {RULE_TITLES[verdict.rule]} <span className={classes.number}>{verdict.rule}</span>
              </span>{' '}
              {verdict.holds === 'unknown' ? (verdict.missing ?? verdict.headline) : verdict.headline}.
            </p>
            <VerdictFigures figures={verdict.figures} words={words} />
            <VerdictCalls evidence={verdict.evidence} words={words} />
          </li>
        ))}
      </ul>
    </details>
  );
}

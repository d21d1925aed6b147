'use client';
import { Alert, Anchor, Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useNow } from '@/components/ui/clock';
import { CopyButton } from '@/components/ui/copy-button';
import { Link } from '@/components/ui/link';
import { ErrorText, Muted, MutedInline } from '@/components/ui/text';
import { useMomentWords, useSteadyWords } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import { groupedBy } from '@/lib/core/grouped';
import { logsCallAsCurl } from '@/lib/core/log-query';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { stateWord } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import type { ChainEvidence } from '@/lib/pending/chain-cause';
import { chainEvidenceAddress, useChainEvidence } from '@/lib/pending/client/use-chain-evidence';
import { isRequestFinished, useDiagnosis } from '@/lib/pending/client/use-triage';
import { stateText } from '@/lib/pending/client/watched-states';
import {
  type DiagnosisAnswer,
  type DiagnosisLocator,
  diagnosisAddress,
  type EvidenceUsed,
  type Figure,
  type Verdict,
} from '@/lib/pending/pending-response';
import { PIECES } from '@/lib/pending/rules/evidence';
import type { RuleId } from '@/lib/pending/rules/rule-ids';
import {
  LIMITATIONS,
  leadLabel,
  NO_RETRY_YET,
  nextAction,
  RULE_TITLES,
} from '@/lib/pending/rules/rule-texts';
import { AGE_WHEN_CHECKED, figureText } from '@/lib/pending/rules/verdict';
import { severityTone } from '@/lib/pending/severity';
import { linkOfKey } from '@/lib/requests/request-address';
import classes from './pending.module.css';
import { RetryClock } from './retry-clock';

/** `isPart`: the incident around it has its own verdict and next step. `isConcluded`: the verdict is shown elsewhere. */
type DiagnosisProps = { locator: DiagnosisLocator; isPart?: boolean; isConcluded?: boolean };

export function RequestConclusion({ locator }: Pick<DiagnosisProps, 'locator'>) {
  const { answer, trouble } = useDiagnosis(locator);
  const { chain } = useChainEvidence(chainEvidenceAddress(locator), diagnosisAddress(locator));
  const { verdicts, topRule } = answer?.diagnosis ?? {};
  if (verdicts === undefined) {
    return <p>{answer === undefined && trouble === undefined ? 'Loading verdict…' : 'No verdict'}</p>;
  }
  const lead = verdicts.find(({ rule }) => rule === topRule);
  return (
    <div data-conclusion={topRule ?? 'none'} data-chain-cause={chain?.cause?.title}>
      <ConclusionText lead={lead} verdicts={verdicts} chain={chain} />
    </div>
  );
}

/** Verdict, next step and retry clock are included unless shown elsewhere. */
export function RequestDiagnosis({ locator, isPart = false, isConcluded = isPart }: DiagnosisProps) {
  const { answer, trouble, again } = useDiagnosis(locator);
  const explained = trouble && explainFailure(trouble);
  return (
    <Stack
      gap="sm"
      className={classes.diagnosis}
      data-diagnosis={answer?.diagnosis === undefined ? 'none' : answer.state}
      data-top-rule={answer?.diagnosis?.topRule}
    >
      {explained === undefined ? null : (
        <ErrorText>
          {explained.title}.{answer === undefined ? '' : ' Outdated.'} {explained.nextStep}{' '}
          <Anchor component="button" onClick={again}>
            Try again
          </Anchor>
        </ErrorText>
      )}
      {answer === undefined ? (
        <Text mih="12rem">{explained === undefined ? 'Loading diagnosis…' : 'No diagnosis'}</Text>
      ) : (
        <Answered locator={locator} answer={answer} isPart={isPart} isConcluded={isConcluded} />
      )}
    </Stack>
  );
}

const NOT_DIAGNOSED: Record<DiagnosisAnswer['found'], string> = {
  one: 'Loading diagnosis…',
  several: 'Several requests share this sequence',
  none: 'Not in the log',
  gone: 'No longer served by its keeper',
  'not-known': 'Not synced yet',
};

type AnsweredProps = Required<DiagnosisProps> & { answer: DiagnosisAnswer };

function Answered({ locator, answer, isPart, isConcluded }: AnsweredProps) {
  const moment = useMomentWords();
  const { diagnosis, found: lookup, missing, markdown, atMs, settings } = answer;
  const request = answer.request?.kind === 'record' ? answer.request : undefined;
  if (isRequestFinished(answer) && request !== undefined) {
    return <p>{stateText(stateWord(request.state))}: no longer pending.</p>;
  }
  if (diagnosis === undefined) return <p>{NOT_DIAGNOSED[lookup]}</p>;
  const { verdicts, topRule, survival } = diagnosis;
  const isTop = ({ rule }: Verdict) => Number(rule === topRule);
  const lead = verdicts.find(({ rule }) => rule === topRule);
  return (
    <>
      {isConcluded ? null : (
        <Conclusion
          lead={lead}
          verdicts={verdicts}
          chainAddress={chainEvidenceAddress(locator)}
          reportAddress={diagnosisAddress(locator)}
        />
      )}
      {isConcluded || request === undefined ? null : (
        <RetryClock sinceMs={request.createdAt.ms} settings={settings} />
      )}
      {survival === undefined || request === undefined ? null : (
        <p>
          p99 of the last {groupDigits(survival.finished)} finished requests on this network:{' '}
          {formatDuration(survival.p99Ms)}; {survival.longer === 0 ? 'none' : groupDigits(survival.longer)}{' '}
          took longer than this one has.
        </p>
      )}
      {missing.length === 0 ? null : (
        <Alert color="idle" title="Missing data" role="status">
          <Bullets lines={missing.map(({ what, why }) => clipped(`${what}: ${why}`, 400))} />
        </Alert>
      )}
      <VerdictList
        verdicts={verdicts.toSorted((a, b) => isTop(b) - isTop(a))}
        shown={isPart ? undefined : topRule}
        isAgeElsewhere={!isPart}
      />
      {isPart ? null : <Limitations isPending />}
      <Muted size="sm">
        Updated {moment(atMs)}
        {markdown === undefined ? null : (
          <>
            {' · '}Report <CopyButton value={markdown} label="Copy report" />
          </>
        )}
      </Muted>
    </>
  );
}

type ConclusionProps = {
  lead: Verdict | undefined;
  verdicts: readonly Verdict[];
  /** Address of the facts from the chain. */
  chainAddress: string;
  /** Address of the report. */
  reportAddress: string;
};

export function Conclusion({ lead, verdicts, chainAddress, reportAddress }: ConclusionProps) {
  const { chain, receivedAtMs } = useChainEvidence(chainAddress, reportAddress);
  const { cause } = chain ?? {};
  return (
    <Paper
      withBorder
      p="sm"
      className={classes.conclusion}
      data-conclusion={lead?.rule ?? 'none'}
      data-chain-cause={cause?.title}
    >
      <ConclusionText lead={lead} verdicts={verdicts} chain={chain} />
      {chain === undefined ? null : <ChainLine chain={chain} receivedAtMs={receivedAtMs} />}
      {cause === undefined || lead === undefined ? null : (
        <Muted component="div" size="sm">
          By the log alone: <strong>{RULE_TITLES[lead.rule]}</strong>. {lead.headline}.
        </Muted>
      )}
    </Paper>
  );
}

type ConclusionTextProps = Pick<ConclusionProps, 'lead' | 'verdicts'> & { chain: ChainEvidence | undefined };

/** A cause found on the chain replaces the likely cause from the log. */
function ConclusionText({ lead, verdicts, chain }: ConclusionTextProps) {
  const { cause } = chain ?? {};
  const next = cause?.next ?? nextAction(lead, verdicts, chain?.isOpen);
  return (
    <>
      {cause === undefined && lead === undefined ? null : (
        <>
          <MutedInline size="sm">
            {cause === undefined && lead !== undefined ? leadLabel(lead) : 'Likely cause'}
          </MutedInline>
          <Text size="lg" fw={650}>
            {cause?.title ?? (lead && RULE_TITLES[lead.rule])}
            {cause !== undefined ? (
              <Badge ml="xs">On-chain</Badge>
            ) : lead?.basis === 'estimate' ? (
              <Badge ml="xs">Estimate</Badge>
            ) : null}
          </Text>
          <p>
            <bdi>{clipped(cause?.headline ?? lead?.headline ?? '', 400)}</bdi>.
          </p>
        </>
      )}
      <Text mt="xs">
        <strong>Next step:</strong> <bdi>{clipped(next, 400)}</bdi>.
      </Text>
    </>
  );
}

type ChainLineProps = { chain: ChainEvidence; receivedAtMs: number };

/** How many requests were checked on the chain and when, or the reason why none was. */
function ChainLine({ chain: { asked: queried, of: size, ageMs, line, why }, receivedAtMs }: ChainLineProps) {
  const age = formatAge(ageMs + Math.max(0, useNow() - receivedAtMs));
  if (why !== undefined) {
    return (
      <Muted size="sm" className="foreign">
        {clipped(why, 300)}
      </Muted>
    );
  }
  if (queried === 0) return null;
  const scopeText = size <= queried ? '' : `, about the oldest ${queried} of ${groupDigits(size)}`;
  return (
    <Muted size="sm">
      Chain queried {age} ago{scopeText}
      {line === undefined ? '' : ': '}
      <bdi>{clipped(line ?? '', 400)}</bdi>.
    </Muted>
  );
}

function Bullets({ lines }: { lines: readonly string[] }) {
  return (
    <ul className={classes.bullets}>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

export function Limitations({ isPending }: { isPending: boolean }) {
  return (
    <details>
      <summary>Limitations</summary>
      <Bullets lines={isPending ? [NO_RETRY_YET, ...LIMITATIONS] : LIMITATIONS} />
    </details>
  );
}

const PROOF_SHOWN = 6;

/** Verdicts that hold are open, in the given order; unknown and excluded ones are folded. */
export function VerdictList({
  verdicts,
  shown,
  isAgeElsewhere = false,
}: {
  verdicts: readonly Verdict[];
  shown?: RuleId | undefined;
  /** Leaves out the age at the check, which differs from the present age. */
  isAgeElsewhere?: boolean;
}) {
  const listOf = (holds: Verdict['holds'], title?: string) => {
    const listed = verdicts.filter((verdict) => verdict.holds === holds);
    if (listed.length === 0) return title === undefined ? <p>No rule applies.</p> : null;
    const items = (
      <Stack component="ul" gap="sm">
        {listed.map((verdict) => (
          <VerdictItem
            key={verdict.rule}
            verdict={
              isAgeElsewhere
                ? { ...verdict, figures: verdict.figures.filter(({ label }) => label !== AGE_WHEN_CHECKED) }
                : verdict
            }
            isShown={verdict.rule === shown}
          />
        ))}
      </Stack>
    );
    if (title === undefined) return items;
    return (
      <details>
        <summary>
          {title} ({listed.length})
        </summary>
        {items}
      </details>
    );
  };
  return (
    <Stack gap="sm">
      {listOf('yes')}
      {listOf('unknown', 'Unknown')}
      {listOf('no', 'Ruled out')}
      <Calls verdicts={verdicts} />
    </Stack>
  );
}

function VerdictItem({ verdict, isShown }: { verdict: Verdict; isShown: boolean }) {
  const { rule, holds, severity, basis, headline, missing, proof, figures } = verdict;
  const doesHold = holds === 'yes';
  return (
    <Stack
      component="li"
      gap={4}
      pl={doesHold ? 'sm' : 0}
      style={
        doesHold
          ? { borderInlineStart: `3px solid var(--ks-${isShown ? severityTone(severity) : 'line-strong'})` }
          : undefined
      }
      data-rule={rule}
      data-holds={holds}
      data-severity={severity}
    >
      <Group gap="xs">
        <strong title={`Rule ${rule}`}>{RULE_TITLES[rule]}</strong>
        {doesHold && basis === 'estimate' ? <Badge>Estimate</Badge> : null}
      </Group>
      {isShown ? null : <p>{holds === 'unknown' ? (missing ?? headline) : headline}.</p>}
      <Figures figures={figures} />
      {doesHold && missing !== undefined ? <Muted>Unknown: {missing}.</Muted> : null}
      {doesHold ? <Proof keys={proof} /> : null}
    </Stack>
  );
}

function Figures({ figures }: { figures: readonly Figure[] }) {
  const moment = useSteadyWords();
  if (figures.length === 0) return null;
  return (
    <Group component="dl" gap="2px var(--ks-gap-md)">
      {figures.map((figure) => (
        <Group key={figure.label} gap={6} wrap="nowrap">
          <Muted component="dt">{figure.label}</Muted>
          <Text component="dd" fw={600} className="num">
            <bdi>{figureText(figure, moment, (text) => clipped(text, 300))}</bdi>
          </Text>
        </Group>
      ))}
    </Group>
  );
}

function Proof({ keys }: { keys: readonly string[] }) {
  const links = keys
    .flatMap((key) => linkOfKey(key) ?? [])
    .map(({ href, label }) => (
      <Link key={href} href={href} className="num">
        {label}
      </Link>
    ));
  if (links.length === 0) return null;
  return (
    <Group gap="2px var(--ks-gap-md)" role="group" aria-label="Proof">
      {links.slice(0, PROOF_SHOWN)}
      {links.length <= PROOF_SHOWN ? null : (
        <details>
          <summary>{links.length - PROOF_SHOWN} more</summary>
          <Group gap="sm">{links.slice(PROOF_SHOWN)}</Group>
        </details>
      )}
    </Group>
  );
}

/** Name of a query, such as `All pending requests (E1)`. */
function nameOf(id: EvidenceUsed['id']): string {
  const evidence = Object.values(PIECES).find((piece) => piece.id === id);
  return evidence === undefined ? 'Requests in that span' : `${evidence.name} (${id})`;
}

/** The calls behind all verdicts, each once, with the rules that use it. */
function Calls({ verdicts }: { verdicts: readonly Verdict[] }) {
  const moment = useSteadyWords();
  const used = verdicts.flatMap(({ rule, evidence }) => evidence.map((call) => ({ rule, ...call })));
  const calls = [...groupedBy(used, ({ id, query }) => `${id} ${query}`).values()];
  if (calls.length === 0) return null;
  return (
    <details data-calls={calls.length}>
      <summary>Details: {countOf(calls.length, 'call')}</summary>
      {calls.map((uses) => {
        const [call] = uses;
        if (call === undefined) return null;
        const { id, query, atMs } = call;
        const curl = logsCallAsCurl(new URLSearchParams(query));
        return (
          <div key={`${id} ${query}`} data-call={id}>
            <p>
              {nameOf(id)}, answered {moment(atMs)}, for {uses.map(({ rule }) => rule).join(', ')}{' '}
              <CopyButton value={curl} label={`Copy the call of ${id} as curl`} />
            </p>
            <pre className="foreign">{curl}</pre>
          </div>
        );
      })}
    </details>
  );
}

'use client';
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '@/components/ui/icons';
import type { FeedUpdate } from '@/lib/core/feed';
import { countOf } from '@/lib/core/numbers';
import { GENERATIONS, isAcceptable, payloadVerdict } from '@/lib/prices/payload/check';
import { type MessageComparison, parsedFormVerdict } from '@/lib/prices/payload/compare';
import classes from './payload.module.css';
import { type CheckedProps, MARKS, type Tone } from './payload-cells';
import pricesClasses from './prices.module.css';

type ConclusionsProps = CheckedProps & {
  parsed: readonly FeedUpdate[] | undefined;
  comparisons: readonly MessageComparison[];
};

export function Conclusions({ update, check, parsed, comparisons }: ConclusionsProps) {
  return (
    <section aria-label="Conclusions" aria-busy={check === undefined}>
      <Verdict check={check} parsed={parsed} comparisons={comparisons} />
      <dl className={classes.conclusions}>
        <Signed update={update} check={check} />
        <Guardians update={update} />
        <Generation check={check} />
        <Proofs check={check} />
        <ParsedForm parsed={parsed} comparisons={comparisons} />
      </dl>
    </section>
  );
}

/** One sentence on the whole payload; its parts follow as figures. */
function Verdict({ check, parsed, comparisons }: Omit<ConclusionsProps, 'update'>) {
  const parsedTone = parsed && parsedFormVerdict(comparisons).tone;
  const verdict = check && payloadVerdict(check, parsedTone);
  const { tone, title, text } = verdict ?? { tone: 'idle' as const, title: 'Checking…', text: '' };
  return (
    <Alert
      role="status"
      aria-label="Verdict"
      color={tone}
      mb="sm"
      icon={<Icon name={tone === 'idle' ? 'dotted' : MARKS[tone]} />}
      className={pricesClasses.verdict}
    >
      <strong>{title}</strong> {text}
    </Alert>
  );
}

type ConclusionProps = { name: string; tone: Tone | 'idle'; title: ReactNode; children?: ReactNode };

function Conclusion({ name, tone, title, children }: ConclusionProps) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd>
        <strong>
          <Icon name={tone === 'idle' ? 'dotted' : MARKS[tone]} size={14} /> <span>{title}</span>
        </strong>
        <p>{children}</p>
      </dd>
    </div>
  );
}

function Signed({ update: { signatures }, check }: CheckedProps) {
  const name = 'Signatures';
  if (check === undefined) return <Conclusion name={name} tone="idle" title="Recovering signers…" />;
  const { signers, generation } = check;
  const invalid = signers.filter((signer) => signer === undefined).length;
  if (invalid > 0) {
    const title = `${invalid} of ${countOf(signatures.length, 'signature')} invalid`;
    return <Conclusion name={name} tone="bad" title={title} />;
  }
  const distinct = countOf(new Set(signers).size, 'distinct signer');
  return (
    <Conclusion name={name} tone={isAcceptable(generation) ? 'good' : 'bad'} title={distinct}>
      {GENERATIONS[generation].signed}
    </Conclusion>
  );
}

/** The guardians of a set. Contracts know them, but this page does not. */
function Guardians({ update: { header } }: Pick<CheckedProps, 'update'>) {
  const set = header.find(({ name }) => name === 'Guardian set')?.value;
  return (
    <Conclusion name="Guardians" tone="idle" title="Not checked">
      Anybody can sign. Compare the signers below with guardian set {set} of the contract.
    </Conclusion>
  );
}

function Generation({ check }: Pick<CheckedProps, 'check'>) {
  if (check === undefined) return <Conclusion name="Generation" tone="idle" title="Recovering signers…" />;
  const { name, meaning } = GENERATIONS[check.generation];
  return (
    <Conclusion
      name="Generation"
      tone={isAcceptable(check.generation) ? 'good' : 'bad'}
      title={<span data-generation={check.generation}>{name}</span>}
    >
      {meaning}
    </Conclusion>
  );
}

function Proofs({ check }: Pick<CheckedProps, 'check'>) {
  if (check === undefined) return <Conclusion name="Proofs" tone="idle" title="Verifying…" />;
  const { proofs } = check;
  const validCount = proofs.filter(Boolean).length;
  if (proofs.length === 0) return <Conclusion name="Proofs" tone="idle" title="No messages" />;
  const isValid = validCount === proofs.length;
  return (
    <Conclusion
      name="Proofs"
      tone={isValid ? 'good' : 'bad'}
      title={`${validCount} of ${countOf(proofs.length, 'proof')} valid`}
    >
      {isValid ? 'Each message leads to the signed root.' : 'A message does not lead to the signed root.'}
    </Conclusion>
  );
}

function ParsedForm({ parsed, comparisons }: Omit<ConclusionsProps, keyof CheckedProps>) {
  const name = 'Parsed form';
  if (parsed === undefined) {
    return (
      <Conclusion name={name} tone="idle" title="None">
        Paste a whole answer to compare.
      </Conclusion>
    );
  }
  const { tone, title, text } = parsedFormVerdict(comparisons);
  return (
    <Conclusion name={name} tone={tone} title={title}>
      {text}
    </Conclusion>
  );
}

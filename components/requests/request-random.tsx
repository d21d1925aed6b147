'use client';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '@/components/ui/icons';
import type { ListedRecord } from '@/lib/client/related-requests';
import { type RandomNumbers, type RandomNumberVerdict, verifyRandomNumber } from '@/lib/domain/random-number';
import classes from './request-content.module.css';
import { Field, Fields, TextField } from './request-field';
import { Section } from './request-section';

const NAMES: Record<keyof RandomNumbers, string> = {
  user: 'User random number',
  provider: 'Provider random number',
  combined: 'Random number',
};

function numbersOf({ userRandomNumber, state }: ListedRecord): RandomNumbers {
  return {
    user: userRandomNumber,
    provider: 'providerRandomNumber' in state ? state.providerRandomNumber : undefined,
    combined: state.kind === 'completed' ? state.combinedRandomNumber : undefined,
  };
}

/** The two contributions and the number made of them, and whether that is so. */
export function RequestRandomNumber({ record }: { record: ListedRecord }) {
  const numbers = numbersOf(record);
  const { user, provider, combined } = numbers;
  const { data: verdict } = useQuery({
    queryKey: ['random-number', user, provider, combined],
    queryFn: () => verifyRandomNumber(numbers),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title="Random number">
      <Verdict verdict={verdict} pending={record.state.kind === 'pending' ? 'yes' : undefined} />
      <Fields>
        <TextField name={NAMES.user} value={user} />
        <TextField name={NAMES.provider} value={provider} />
        <TextField name={NAMES.combined} value={combined} />
        {verdict?.kind === 'mismatch' ? <TextField name="Computed here" value={verdict.computed} /> : null}
        <Field name="Rule">
          <code>keccak256(user ‖ provider ‖ 32 zero bytes)</code>
        </Field>
      </Fields>
    </Section>
  );
}

function Verdict({ verdict, pending }: { verdict: RandomNumberVerdict | undefined; pending?: 'yes' }) {
  if (verdict === undefined) return <p className={classes.verdict}>Checking…</p>;
  switch (verdict.kind) {
    case 'verified':
      return (
        <p className={classes.verdict} data-tone="good">
          <Icon name="check" size={14} /> Verified: it is made of both contributions.
        </p>
      );
    case 'mismatch':
      return (
        <p className={classes.verdict} data-tone="bad">
          <Icon name="cross" size={14} /> Does not match: both contributions make another number.
        </p>
      );
    case 'uncheckable': {
      const name = NAMES[verdict.number].toLowerCase();
      const problem = verdict.problem === 'missing' ? 'missing' : 'not 32 bytes of hex';
      const yet = pending === 'yes' && verdict.problem === 'missing' ? ' so far' : '';
      return (
        <p className={classes.verdict}>
          <Icon name="dash" size={14} /> Cannot be checked, because the {name} is {problem}
          {yet}.
        </p>
      );
    }
  }
}

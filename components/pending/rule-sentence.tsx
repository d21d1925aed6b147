import { titleBeside } from '@/lib/client/incident-words';
import { RULE_TITLES, type RuleId, type Verdict } from '@/lib/domain/diagnosis/verdict';
import classes from './rule-sentence.module.css';

/** What a rule says, its number in front so that one can look it up. */
export function RuleSentence({ rule, sentence }: { rule: RuleId; sentence: string | undefined }) {
  const title = titleBeside(RULE_TITLES[rule], sentence);
  return (
    <>
      <span className={classes.number} title={RULE_TITLES[rule]}>
        {rule}
      </span>{' '}
      {title === undefined ? null : <strong>{title}: </strong>}
      {sentence === undefined ? null : `${sentence}.`}
    </>
  );
}

/** That a sentence is no more than an estimate, and what it lacks. */
export function EstimateNote({ verdict }: { verdict: Verdict | undefined }) {
  if (verdict?.basis !== 'estimate') return null;
  const { missing } = verdict;
  return (
    <span className={classes.estimate}>
      {' '}
      Estimate
      {missing === undefined ? '' : `, not known yet: ${missing.charAt(0).toLowerCase()}${missing.slice(1)}`}.
    </span>
  );
}

import { Icon } from '@/components/ui/icons';
import { clipped } from '@/lib/client/foreign-text';
import type { UrlProblem } from '@/lib/domain/url-problem';
import classes from './url-problems.module.css';

const partOf = ({ param, value }: UrlProblem) => `${param}=${value}`;

/** More than a handful says nothing more; they are counted. */
const SHOWN = 5;

/** What of the link could not be read: said, as the rows below are then not what its sender saw. */
export function UrlProblems({ problems }: { problems: readonly UrlProblem[] }) {
  if (problems.length === 0) return null;
  // The same part may be given, and reported, several times.
  const distinct = [...new Map(problems.map((problem) => [partOf(problem), problem])).values()];
  const left = distinct.length - SHOWN;
  return (
    <ul className={classes.problems} aria-label="Unreadable parts of this link">
      {distinct.slice(0, SHOWN).map((problem) => (
        <li key={partOf(problem)} className={classes.problem}>
          <Icon name="alert" size={14} />
          <span>
            This link’s <code className="foreign">{clipped(partOf(problem), 80)}</code>
            {problem.used ? ' is used as it stands. ' : ' is not used. '}
            {problem.message}
          </span>
        </li>
      ))}
      {left > 0 ? <li className={classes.problem}>And {left} more.</li> : null}
    </ul>
  );
}

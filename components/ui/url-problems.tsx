import { Alert } from '@mantine/core';
import { clipped, type UrlProblem } from '@/lib/core/text';

/** Problems that are shown; further ones are only counted. */
const MAX_SHOWN = 5;

/** Shown because the page differs from what the sender of the link saw. */
export function UrlProblems({ problems }: { problems: readonly UrlProblem[] }) {
  const distinct = [...new Map(problems.map((problem) => [`${problem.param}=${problem.value}`, problem]))];
  if (distinct.length === 0) return null;
  return (
    <Alert role="status" p="xs" aria-label="Unreadable parts of this link">
      <ul aria-label="Unreadable parts of this link">
        {distinct.slice(0, MAX_SHOWN).map(([part, { used, message }]) => (
          <li key={part}>
            <code className="foreign">{clipped(part, 80)}</code> {used ? 'is used as is. ' : 'is ignored. '}
            {message}
          </li>
        ))}
        {distinct.length > MAX_SHOWN ? <li>And {distinct.length - MAX_SHOWN} more.</li> : null}
      </ul>
    </Alert>
  );
}

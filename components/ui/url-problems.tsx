import { Alert } from '@mantine/core';
import { clipped, type UrlProblem } from '@/lib/core/text';

/** Most problems listed; further ones are counted. */
const MAX_SHOWN = 5;

/** Unreadable parts of the URL. The page then differs from what the sender of the link saw. */
export function UrlProblems({ problems }: { problems: readonly UrlProblem[] }) {
  // Repeated parts are reported once.
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

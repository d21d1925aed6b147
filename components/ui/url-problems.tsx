import { Alert } from '@mantine/core';
import { clipped, type UrlProblem } from '@/lib/core/text';

/** More than a handful says nothing more; they are counted. */
const MAX_SHOWN = 5;

/** What of the link could not be read: said, as what is shown is then not what its sender saw. */
export function UrlProblems({ problems }: { problems: readonly UrlProblem[] }) {
  // The same part may be given, and reported, several times.
  const distinct = [...new Map(problems.map((one) => [`${one.param}=${one.value}`, one]))];
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

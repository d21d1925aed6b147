import { CANNOT_BE_KNOWN, NEVER_THE_CAUSE, PENDING_MEANS } from '@/lib/domain/diagnosis/limits-of-knowledge';
import classes from './pending.module.css';

/** What all of this is worth; always on screen. */
export function KnowledgeNotes() {
  return (
    <section className={classes.notes} aria-label="What these logs can and can’t show">
      <p>{PENDING_MEANS}.</p>
      <details>
        <summary>What these logs can’t show</summary>
        <ul>
          {CANNOT_BE_KNOWN.map((what) => (
            <li key={what}>{what}</li>
          ))}
          <li>{NEVER_THE_CAUSE}</li>
          <li>
            causes are read off the logs by the keeper’s usual settings, or by those that this dashboard was
            given
          </li>
        </ul>
      </details>
    </section>
  );
}

'use client';
import { countOf } from '@/lib/client/human-number';
import type { RequestChoice } from '@/lib/client/request-lookup';
import classes from './request-content.module.css';
import { Moment } from './request-field';
import { Section } from './request-section';
import { StateBadge } from './state-badge';

/** That the log holds one request several times, each with other content, and which of these is shown. */
export function RequestVersions({ choice: { row, olderVersions } }: { choice: RequestChoice }) {
  if (olderVersions.length === 0) return null;
  const versions = [row, ...olderVersions];
  return (
    <Section title={`${countOf(String(versions.length), 'version', 'versions')} of this request in the log`}>
      <p className={classes.verdict} data-tone="odd">
        The service lists this request {versions.length} times, with different content. The one with the
        newest update is shown; the others stand at the end of this page as they came.
      </p>
      <ul className={classes.lines}>
        {versions.map((version) => (
          <li
            key={version.rawJson}
            className={classes.line}
            data-mark={version === row ? 'shown' : undefined}
          >
            <StateBadge state={version.state} />
            <span className={classes.lineTime}>
              {version.updatedAt === undefined ? (
                <>
                  created <Moment time={version.createdAt} />, never updated
                </>
              ) : (
                <>
                  updated <Moment time={version.updatedAt} />
                </>
              )}
              {version === row ? <em> (shown)</em> : null}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

'use client';
import { clipped } from '@/lib/client/foreign-text';
import { countOf } from '@/lib/client/human-number';
import type { ListedRecord } from '@/lib/client/related-requests';
import type { RequestChoice } from '@/lib/client/request-lookup';
import classes from './request-content.module.css';
import { RequestLine } from './request-line';
import { Section } from './request-section';

/** The requests of one number on one network, told apart by keeper, provider and transaction. */
export function RequestChoices({
  choices,
  fit,
  shown,
}: {
  choices: readonly RequestChoice[];
  /** `other`: none of them is what the address asks for. */
  fit: 'asked' | 'other';
  /** The one that stands below. */
  shown?: ListedRecord;
}) {
  const count = choices.length;
  const verb = count === 1 ? 'has' : 'share';
  return (
    <Section title={`${countOf(String(count), 'request', 'requests')} ${verb} this number on this network`}>
      {fit === 'other' ? (
        <p className={classes.verdict} data-tone="odd">
          None of them has the provider and the transaction of this address.
        </p>
      ) : null}
      <ul className={classes.lines}>
        {choices.map(({ row, olderVersions }) => (
          <RequestLine key={row.key} row={row} mark={row === shown ? 'this one' : undefined}>
            <Difference name="keeper" value={row.keeper} />
            <Difference name="provider" value={row.provider} />
            <Difference name="transaction" value={row.requestTxHash} />
            {olderVersions.length === 0 ? null : (
              <span className={classes.difference}>
                {olderVersions.length + 1} versions in the log; this is the newest
              </span>
            )}
          </RequestLine>
        ))}
      </ul>
    </Section>
  );
}

function Difference({ name, value }: { name: string; value: string | undefined }) {
  return (
    <span className={classes.difference}>
      {name} <bdi className="mono">{value === undefined ? 'not given' : clipped(value, 100)}</bdi>
    </span>
  );
}

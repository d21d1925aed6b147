'use client';
import Link from 'next/link';
import { useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import type { LookupAsk } from '@/lib/client/price-lookup';
import type { LookupAnswer } from '@/lib/client/price-lookup-state';
import { inspectLink } from '@/lib/contract/codec/payload-link';
import { microsToSeconds } from '@/lib/domain/unix-micros';
import { callTitle } from './lookup-json';
import classes from './lookup-payloads.module.css';
import { PayloadGenerationName } from './payload-generation';

/** The first ones; each price leads to its own. */
const MOST_LISTED = 30;
/** So few are there to be read at once: both hosts and the router. */
const MOST_OPENED = 4;

/** The signed payloads that came with the answers, each with its generation, to be copied whole. */
export function LookupPayloads({ ask, answers }: { ask: LookupAsk; answers: readonly LookupAnswer[] }) {
  const [isOpen, setOpen] = useState(false);
  const payloads = answers.flatMap(({ call, payloads: some }) =>
    some.map((payload, at) => ({ call, payload, at, of: some.length })),
  );
  if (payloads.length === 0) return null;
  return (
    <details
      className={classes.payloads}
      open={payloads.length <= MOST_OPENED}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{payloads.length === 1 ? '1 signed payload' : `${payloads.length} signed payloads`}</summary>
      <p className={classes.aside}>
        The price update service was upgraded on 26 August 2026 at 16:00 UTC. A payload verifies only on the
        contract of its own generation: of both hosts, submit the one that fits yours.
      </p>
      <ul>
        {payloads.slice(0, MOST_LISTED).map(({ call, payload, at, of }) => {
          const title = callTitle(ask, call);
          const name = of > 1 ? `${clipped(payload.format, 40)} ${at + 1}` : clipped(payload.format, 40);
          return (
            <li key={`${title} ${at} ${call.feeds[0]?.key}`}>
              <span>{title}</span> <code>{name}</code>{' '}
              <span className={classes.aside}>
                {clipped(payload.encoding, 20)}, {groupDigits(String(payload.data.length))} characters
              </span>
              {isOpen && call.source !== 'router' ? (
                <span>
                  <PayloadGenerationName data={payload.data} />
                </span>
              ) : null}
              <CopyButton value={payload.data} label={`Copy ${name}: ${title}`} />
              <InspectCall answerOf={call} />
            </li>
          );
        })}
      </ul>
      {payloads.length > MOST_LISTED ? (
        <p className={classes.aside}>And {payloads.length - MOST_LISTED} more.</p>
      ) : null}
    </details>
  );
}

/** The inspector takes what both hosts of the update service sign. */
function InspectCall({ answerOf: { source, feeds, askedUs } }: { answerOf: LookupAnswer['call'] }) {
  if (source === 'router' || source === 'deprecated') return null;
  const second = askedUs === undefined ? 'latest' : microsToSeconds(askedUs);
  const ids = feeds.flatMap(({ feedId }) => feedId ?? []);
  return second === undefined ? null : (
    <Link href={inspectLink(source, second, ids)} prefetch={false}>
      Inspect
    </Link>
  );
}

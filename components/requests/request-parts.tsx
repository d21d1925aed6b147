'use client';
import { Group, Progress, Title } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { createContext, Fragment, type ReactNode, useContext, useMemo } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Field, type FieldProps } from '@/components/ui/field';
import { Link } from '@/components/ui/link';
import { NetworksProvider, useNetwork } from '@/components/ui/networks';
import { Muted, MutedInline, SmallButton } from '@/components/ui/text';
import { useMoment } from '@/components/ui/time-style';
import type { Network } from '@/lib/core/network';
import { countOf, groupDigitsBriefly } from '@/lib/core/numbers';
import type { WireTime } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import { useNetworksOf } from '@/lib/requests/client/use-networks';
import { percentOf } from '@/lib/requests/column-schema';
import { requestPath } from '@/lib/requests/request-address';
import type { ListedRecord, Related, SharedList } from '@/lib/requests/requests-response';
import classes from './request.module.css';
import { StateBadge } from './state-badge';

const Heading = createContext<2 | 3>(3);

/** Differs between the page and the panel. */
export const SectionHeadings = Heading.Provider;

type SectionProps = { title: string; beside?: ReactNode; children: ReactNode };

/** A part of a request. Not a landmark, because a dozen of them would not help navigation. */
export function RequestSection({ title, beside, children }: SectionProps) {
  return (
    <section className={classes.section}>
      <Group gap="xs" mih="1.5rem">
        <Title order={useContext(Heading)} size="md">
          {title}
        </Title>
        {beside}
      </Group>
      {children}
    </section>
  );
}

export function Moment({ time }: { time: WireTime }) {
  const { text, title, iso } = useMoment(time.ms, time.text);
  return (
    <time dateTime={iso} title={title}>
      {text}
    </time>
  );
}

export function Command({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <pre className="foreign">{text}</pre>
      <CopyButton value={text} label={label} />
    </Group>
  );
}

export function CopyLink({ path }: { path: string }) {
  const { copy, copied, error } = useClipboard({ timeout: 1500 });
  const words = copied ? 'Link copied' : error === null ? 'Copy link' : 'Clipboard blocked';
  return (
    <SmallButton aria-live="polite" onClick={() => copy(new URL(path, window.location.href).href)}>
      {words}
    </SmallButton>
  );
}

const NONE: ListedRecord[] = [];

type RelatedProps = {
  record: ListedRecord;
  related: Related | undefined;
  networks: readonly Network[];
};

export function RelatedRequests({ record, related, networks }: RelatedProps) {
  const listed = useMemo(
    () => (related === undefined ? NONE : [...related.transaction.rows, ...related.sender.rows]),
    [related],
  );
  const allNetworks = useNetworksOf(networks, listed);
  if (related === undefined) {
    return (
      <RequestSection title="Neighbours">
        <Muted mih="8rem">Loading…</Muted>
      </RequestSection>
    );
  }
  return (
    <NetworksProvider networks={allNetworks}>
      <Neighbours record={record} {...related} />
      <List title="Same transaction" list={related.transaction} record={record} />
      <List title="Same sender" list={related.sender} record={record} />
    </NetworksProvider>
  );
}

type NeighboursProps = { record: ListedRecord } & Pick<Related, 'before' | 'after' | 'coveredFromMs'>;

function Neighbours({ record, before, after, coveredFromMs }: NeighboursProps) {
  const rows: ListedRecord[] = [...before.toReversed(), record, ...after];
  // A single pending request may be older than what the index covers; its neighbours are unknown.
  const isCovered = coveredFromMs !== null && rows.every(({ createdAt }) => createdAt.ms >= coveredFromMs);
  const lines = rows.map((row, at) => {
    const missing = BigInt(row.sequence) - BigInt(rows[at - 1]?.sequence ?? row.sequence) - 1n;
    return (
      <Fragment key={row.key}>
        {missing > 0n && (
          <li
            className={classes.line}
            title={isCovered ? 'Not in the log of this keeper' : 'Older requests are not in the index'}
          >
            <Muted size="sm">
              {countOf(missing.toString(), 'sequence')} not {isCovered ? 'logged' : 'in the index'}
            </Muted>
          </li>
        )}
        <RequestLine row={row} isThis={row === record} />
      </Fragment>
    );
  });
  const others = [...before, ...after];
  const answered = others.filter(({ state }) => state.kind === 'completed').length;
  return (
    <RequestSection
      title="Neighbours"
      beside={
        others.length === 0 || !isCovered ? undefined : (
          <MutedInline size="sm">
            {answered} of {others.length} others answered
          </MutedInline>
        )
      }
    >
      {rows.length === 1 ? <p>None on this network and provider.</p> : <ol>{lines}</ol>}
    </RequestSection>
  );
}

function List({ title, list, record }: { title: string; list: SharedList; record: ListedRecord }) {
  const { rows, total } = list;
  if (rows.every((row) => row.key === record.key)) return null;
  const newest = BigInt(total) > BigInt(rows.length) ? `Newest ${rows.length} of ` : '';
  return (
    <RequestSection
      title={title}
      beside={<MutedInline size="sm">{`${newest}${countOf(total, 'request')}`}</MutedInline>}
    >
      <ul>
        {rows.map((row) => (
          <RequestLine
            key={row.key}
            row={row}
            isThis={row.key === record.key}
            isElsewhere={row.networkId !== record.networkId}
          />
        ))}
      </ul>
    </RequestSection>
  );
}

type LineProps = { row: ListedRecord; isThis: boolean; isElsewhere?: boolean };

function RequestLine({ row, isThis, isElsewhere = false }: LineProps) {
  const network = useNetwork(row.networkId);
  return (
    <li className={classes.line} data-this={isThis || undefined}>
      <Link href={requestPath(row)} className="num" aria-current={isThis ? 'true' : undefined}>
        {clipped(row.sequence, 40)}
      </Link>
      {isElsewhere ? (
        <MutedInline truncate>
          <bdi>{clipped(network.name, 60)}</bdi>
        </MutedInline>
      ) : null}
      <StateBadge state={row.state} />
      <MutedInline size="sm" className="num">
        <Moment time={row.createdAt} />
      </MutedInline>
    </li>
  );
}

/** `98.50` becomes `98.5%`. */
function percentText(percent: string): string {
  return `${Number(percent).toFixed(1).replace(/\.0$/, '')}%`;
}

export function Gas({ record: { gasLimit, state } }: { record: ListedRecord }) {
  const used = state.kind === 'completed' ? state : undefined;
  const percent = percentOf(used?.callbackGasUsed, gasLimit);
  return (
    <RequestSection title="Gas">
      <dl>
        <DigitsField name="Callback gas limit" hint="Set in the request" value={gasLimit} />
        {used === undefined ? null : (
          <>
            <DigitsField name="Callback gas used" value={used.callbackGasUsed}>
              {percent === undefined ? null : (
                <>
                  <MutedInline className="num">
                    {' '}
                    · {clipped(percentText(percent), 90)} of the limit
                  </MutedInline>
                  <Progress value={Math.min(100, Number(percent))} aria-hidden="true" mt={4} miw="12rem" />
                </>
              )}
            </DigitsField>
            <DigitsField name="Transaction gas used" hint="Of the whole transaction" value={used.gasUsed} />
          </>
        )}
      </dl>
    </RequestSection>
  );
}

/** Digits are grouped, but copied without separators. */
export function DigitsField({ children, ...field }: FieldProps) {
  if (field.value == null) return <Field {...field} />;
  return (
    <Field {...field}>
      <span className="num">{clipped(groupDigitsBriefly(field.value), 100)}</span>
      {children}
    </Field>
  );
}

'use client';
import { Group, Paper, Text } from '@mantine/core';
import { useServerNow } from '@/components/ui/clock';
import { Field } from '@/components/ui/field';
import { Link } from '@/components/ui/link';
import { MutedInline } from '@/components/ui/text';
import { useMomentColumn } from '@/components/ui/time-style';
import { decodeFailure } from '@/lib/core/failure';
import { countOf } from '@/lib/core/numbers';
import { requestDuration } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { locatorPath, requestPath } from '@/lib/requests/request-address';
import type { ListedRecord } from '@/lib/requests/requests-response';
import classes from './request.module.css';
import { Moment, Section } from './request-parts';
import { StateBadge } from './state-badge';

/** Requests of a sequence, of which none or several match the address. Each is a link as a whole. */
export function RequestsOfSequence({ rows }: { rows: readonly ListedRecord[] }) {
  const isSingle = rows.length === 1;
  const hasFailure = rows.some((row) => decodeFailure(row) !== undefined);
  return (
    <Section
      title={isSingle ? 'Found instead' : `${rows.length} requests share this sequence`}
      beside={isSingle ? null : <MutedInline>{differenceOf(rows)}. Choose one.</MutedInline>}
    >
      <ul className={classes.choices}>
        {rows.map((row) => (
          <SequenceRequest key={row.key} row={row} hasFailureLine={hasFailure} />
        ))}
      </ul>
    </Section>
  );
}

/** Each provider counts its own sequences, and each keeper logs what it sees. */
function differenceOf(rows: readonly ListedRecord[]): string {
  const count = (value: (row: ListedRecord) => string | undefined) => new Set(rows.map(value)).size;
  const providers = count(({ provider }) => provider?.toLowerCase());
  if (providers > 1) return `Of ${providers} providers`;
  const keepers = count(({ keeper }) => keeper);
  return keepers > 1 ? `Logged by ${keepers} keepers` : 'In different transactions';
}

const nameOf = ({ provider }: ListedRecord) =>
  provider === undefined ? 'Without provider' : `Provider ${shortenHex(clipped(provider, 80))}`;

/** A card of a request. If `hasFailureLine` is set, the fields of all cards are on one level. */
type SequenceRequestProps = { row: ListedRecord; hasFailureLine: boolean };

function SequenceRequest({ row, hasFailureLine }: SequenceRequestProps) {
  const moments = useMomentColumn();
  const length = requestDuration(row, useServerNow());
  const failure = decodeFailure(row);
  return (
    <li className={classes.choice}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Link href={requestPath(row)}>
          <bdi>{nameOf(row)}</bdi>
        </Link>
        <StateBadge state={row.state} />
      </Group>
      {hasFailureLine ? (
        <Text truncate mih="1lh" c="var(--ks-bad)" title={failure && clipped(failure.text, 500)}>
          <bdi>{failure && clipped(failure.text, 200)}</bdi>
        </Text>
      ) : null}
      <dl>
        <Field name={moments.header('Created')}>
          <Moment time={row.createdAt} />
        </Field>
        {length && (
          <Field name={length.kind === 'age' ? 'Age' : 'Logged after'}>
            <span className="num">
              {length.kind === 'age' ? formatAge(length.ms) : formatDuration(length.ms)}
            </span>
          </Field>
        )}
        <Field name="Keeper">
          <bdi>{clipped(row.keeper, 100)}</bdi>
        </Field>
        <Field name="Provider" value={row.provider} />
        <Field name="Sender" value={row.sender} />
        <Field name="Transaction" value={row.requestTxHash} />
      </dl>
    </li>
  );
}

type OthersProps = { rows: readonly ListedRecord[]; shown: ListedRecord };

/** Strip above a request whose sequence others have too. */
export function OthersOfSequence({ rows, shown }: OthersProps) {
  const others = rows.filter((row) => row !== shown);
  const [first] = others;
  if (first === undefined) return null;
  const { networkId, sequence } = shown;
  return (
    <Paper withBorder radius="lg" px="md" py="xs" data-others={others.length}>
      <Group gap="xs">
        <span>
          {countOf(others.length, 'other request')} {others.length === 1 ? 'has' : 'have'} this sequence:
        </span>
        {others.length === 1 ? (
          <>
            <Link href={requestPath(first)}>
              <bdi>{nameOf(first)}</bdi>
            </Link>
            <StateBadge state={first.state} />
          </>
        ) : (
          <Link href={locatorPath({ networkId, sequence, keepers: [] })}>View all</Link>
        )}
      </Group>
    </Paper>
  );
}

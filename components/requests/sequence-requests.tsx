'use client';
import { Group, Paper, Text } from '@mantine/core';
import { useServerNow } from '@/components/ui/clock';
import { Field } from '@/components/ui/field';
import { Link } from '@/components/ui/link';
import { useMomentColumn } from '@/components/ui/time-style';
import { countOf } from '@/lib/core/numbers';
import { decodeFailure } from '@/lib/core/request-failure';
import { requestDuration } from '@/lib/core/request-record';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatAge, formatDuration } from '@/lib/core/time';
import { locatorPath, requestPath } from '@/lib/requests/request-address';
import type { ListedRecord } from '@/lib/requests/requests-response';
import classes from './request.module.css';
import { Moment, RequestSection } from './request-parts';
import { StateBadge } from './state-badge';

/** Requests of a sequence, of which none or several match the address. Each is a link as a whole. */
export function RequestsOfSequence({ rows }: { rows: readonly ListedRecord[] }) {
  return (
    <RequestSection title={rows.length === 1 ? 'Found instead' : `${differenceOf(rows)}. Choose one.`}>
      <ul className={classes.choices}>
        {rows.map((row) => (
          <SequenceRequest key={row.key} row={row} />
        ))}
      </ul>
    </RequestSection>
  );
}

/** Each provider counts its own sequences, and each keeper logs what it sees. */
function differenceOf(rows: readonly ListedRecord[]): string {
  const count = (value: (row: ListedRecord) => string | undefined) => new Set(rows.map(value)).size;
  const providers = count(({ provider }) => provider?.toLowerCase());
  if (providers > 1) return `Used by ${providers} providers`;
  const keepers = count(({ keeper }) => keeper);
  return keepers > 1 ? `Logged by ${keepers} keepers` : `Used by ${rows.length} transactions`;
}

const nameOf = ({ provider }: ListedRecord) =>
  provider === undefined ? 'Without provider' : `Provider ${shortenHex(clipped(provider, 80))}`;

/** A card of a request. */
function SequenceRequest({ row }: { row: ListedRecord }) {
  const moments = useMomentColumn();
  const length = requestDuration(row, useServerNow());
  const failure = decodeFailure(row);
  return (
    <li className={classes.choice}>
      <Group gap="xs">
        <Link href={requestPath(row)}>
          <bdi>{nameOf(row)}</bdi>
        </Link>
        <StateBadge state={row.state} />
        {failure && (
          <Text truncate miw={0} c="var(--ks-bad)" title={clipped(failure.text, 500)}>
            <bdi>{clipped(failure.text, 200)}</bdi>
          </Text>
        )}
      </Group>
      <dl>
        <Field name={moments.header('Created')}>
          <Moment time={row.createdAt} />
        </Field>
        <Field name={length?.kind === 'age' ? 'Age' : 'Logged after'}>
          <span className="num">
            {length === undefined
              ? '—'
              : length.kind === 'age'
                ? formatAge(length.ms)
                : formatDuration(length.ms)}
          </span>
        </Field>
        <Field name="Provider" value={row.provider} />
        <Field name="Sender" value={row.sender} />
        <Field name="Transaction" value={row.requestTxHash} />
        <Field name="Keeper">
          <bdi>{clipped(row.keeper, 100)}</bdi>
        </Field>
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

'use client';
import { Badge, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { type ByteRange, rangeAt } from '@/lib/prices/payload/byte-ranges';
import type { UpdateCheck } from '@/lib/prices/payload/check';
import type { DecodedUpdate } from '@/lib/prices/payload/decode';
import { Bytes } from './byte-marks';
import classes from './payload.module.css';

/** Names of feeds by id. */
export type FeedNames = ReadonlyMap<string, string>;

export type CheckedProps = {
  update: DecodedUpdate;
  check: UpdateCheck | undefined;
};

/** `ranges` are the parts of the payload. */
export type MarkedProps = CheckedProps & { ranges: readonly ByteRange[] };

type DataProps = { label: string; head: string[]; rows: ReactNode[][] };

export function PayloadTable({ label, head, rows }: DataProps) {
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <Table aria-label={label} verticalSpacing={2} data={{ head, body: rows }} />
    </Table.ScrollContainer>
  );
}

export const MARKS = { good: 'check', bad: 'cross', warn: 'alert' } as const;

export type Tone = keyof typeof MARKS;

export function MarkBadge({ tone, children }: { tone: keyof typeof MARKS; children: ReactNode }) {
  return (
    <Badge color={tone} leftSection={<Icon name={MARKS[tone]} size={13} />} className={classes.mark}>
      {children}
    </Badge>
  );
}

type HexProps = { value: string; what: string; children?: ReactNode };

export function Hex({ value, what, children = value }: HexProps) {
  return (
    <>
      <code title={value}>{children}</code> <CopyButton value={value} label={`Copy ${what}`} />
    </>
  );
}

export function Offset({ offset = 0, ranges }: { offset: number | undefined; ranges: readonly ByteRange[] }) {
  return (
    <Bytes className="faint" title={`Byte ${offset} of the payload`} {...rangeAt(ranges, offset)}>
      {` @${offset}`}
    </Bytes>
  );
}

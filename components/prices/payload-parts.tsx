'use client';
import { Group, SimpleGrid, Title } from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type ReactNode, useEffect, useRef } from 'react';
import { Field } from '@/components/ui/field';
import { Muted } from '@/components/ui/text';
import { countOf } from '@/lib/core/numbers';
import type { ByteRange } from '@/lib/prices/payload/byte-ranges';
import type { UpdateCheck } from '@/lib/prices/payload/check';
import type { DecodedUpdate } from '@/lib/prices/payload/decode';
import { Bytes, useMarkedBytes } from './byte-marks';
import classes from './payload.module.css';
import { type CheckedProps, Hex, MarkBadge, type MarkedProps, Offset, PayloadTable } from './payload-cells';

type FactsProps = { title: string; children: ReactNode };

function Facts({ title, children }: FactsProps) {
  return (
    <section aria-label={title}>
      <Title order={3} mt="md">
        {title}
      </Title>
      <dl className="num">{children}</dl>
    </section>
  );
}

export function Parts({ update: { bytes, header, body }, check, ranges }: MarkedProps) {
  const facts = (fields: DecodedUpdate['header']) =>
    fields.map(({ name, value, offset, isId }) => (
      <Field key={name} name={name} value={isId ? value : undefined}>
        {/* A separate element, so that the value can be selected alone. */}
        <span>{value}</span>
        <Offset offset={offset} ranges={ranges} />
      </Field>
    ));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Facts title="Header and signed message">
        <Field name="Size">{countOf(bytes.length, 'byte')}</Field>
        {facts(header)}
        <Field name="Signed digest" value={check?.digest}>
          {check?.digest ?? 'Computing…'}
        </Field>
      </Facts>
      <Facts title="Body">{facts(body)}</Facts>
    </SimpleGrid>
  );
}

/** The copy has all bytes. */
const MAX_SHOWN_BYTES = 2048;
const LINE_BYTES = 16;

export function RawBytes({ update, ranges }: Pick<MarkedProps, 'update' | 'ranges'>) {
  const { bytes, signatures, offsets } = update;
  const bodyAt = offsets.get('timestamp') ?? bytes.length;
  const signaturesAt = offsets.get(`signer index of signature 1 of ${signatures.length}`) ?? bodyAt;
  const messagesAt = offsets.get('update count') ?? bytes.length;
  const parts = [
    { name: 'Header', from: 0, to: signaturesAt },
    { name: 'Signatures', from: signaturesAt, to: bodyAt },
    { name: 'Body', from: bodyAt, to: messagesAt },
    { name: 'Messages and proofs', from: messagesAt, to: bytes.length },
  ];
  const lineCount = Math.ceil(Math.min(bytes.length, MAX_SHOWN_BYTES) / LINE_BYTES);
  const lines = Array.from({ length: lineCount }, (_, at) => at * LINE_BYTES);
  return (
    <section aria-label="Raw bytes">
      <Title order={3}>Raw bytes</Title>
      <Group gap="0 var(--ks-gap-lg)">
        {parts.map(({ name, from, to }, at) => (
          <span key={name} className={`${classes.part} ${classes.tint}`} data-part={at}>
            {name} <small className="num">{countOf(to - from, 'byte')}</small>
          </span>
        ))}
      </Group>
      <HexBox>
        {lines.map((from) => (
          <HexLine key={from} bytes={bytes} from={from} parts={parts} ranges={ranges} />
        ))}
        {bytes.length > MAX_SHOWN_BYTES ? '…' : ''}
      </HexBox>
    </section>
  );
}

/** Bytes that were marked elsewhere are scrolled into view, within their own box. */
function HexBox({ children }: { children: ReactNode }) {
  const box = useRef<HTMLPreElement>(null);
  const marked = useMarkedBytes();
  useEffect(() => {
    const { current } = box;
    const first = current?.querySelector('[data-marked]');
    if (current === null || first == null || marked?.isInBytes !== false) return;
    const { top, bottom, height } = current.getBoundingClientRect();
    const place = first.getBoundingClientRect();
    if (place.top >= top && place.bottom <= bottom) return;
    const linePx = Number.parseFloat(getComputedStyle(current).lineHeight);
    const wantedPx = current.scrollTop + place.top - top - height / 2;
    // Whole lines, so that the first in sight is not cut.
    current.scrollTop = Math.round(wantedPx / linePx) * linePx;
  }, [marked]);
  // Focusable, so that it can be scrolled by keyboard.
  return (
    <pre ref={box} className={classes.raw} {...{ tabIndex: 0 }}>
      {children}
    </pre>
  );
}

type LineProps = {
  bytes: Uint8Array;
  from: number;
  parts: readonly ByteRange[];
  ranges: readonly ByteRange[];
};

/** The offset is outside of a selection, so that only bytes are copied. */
function HexLine({ bytes, from, parts, ranges }: LineProps) {
  const until = Math.min(from + LINE_BYTES, bytes.length);
  const middle = from + LINE_BYTES / 2;
  const hex = (start: number, end: number) => bytesToHex(bytes.subarray(start, Math.max(start, end)));
  return (
    <>
      <span className={classes.offset}>{from.toString(16).padStart(4, '0')}</span>
      {ranges.map((range) => {
        const [start, end] = [Math.max(range.from, from), Math.min(range.to, until)];
        if (start >= end) return null;
        const part = parts.findLastIndex((part) => part.from <= start && part.from < part.to);
        return (
          <Bytes key={range.from} className={classes.tint} part={part} {...range}>
            {hex(start, Math.min(end, middle))}
            {start <= middle && end > middle && <span className={classes.half} />}
            {hex(Math.max(start, middle), end)}
          </Bytes>
        );
      })}
      {'\n'}
    </>
  );
}

/** Index of the signer, r, s and recovery id. */
const SIGNATURE_BYTES = 66;

export function Signatures({ update: { signatures, offsets }, check }: CheckedProps) {
  if (signatures.length === 0) return <Muted>No signatures</Muted>;
  const rows = signatures.map(({ index, r, s, recovery }, at) => {
    const from = offsets.get(`signer index of signature ${at + 1} of ${signatures.length}`) ?? 0;
    const hex = `0x${bytesToHex(r)}${bytesToHex(s)}${recovery.toString(16).padStart(2, '0')}`;
    return [
      index,
      <Signer key="signer" check={check} at={at} />,
      <Hex key="signature" value={hex} what={`the signature of signer ${index}`}>
        {hex.slice(0, 8)}…{hex.slice(-4)}
      </Hex>,
      <Bytes key="offset" from={from} to={from + SIGNATURE_BYTES}>
        {from}
      </Bytes>,
    ];
  });
  return (
    <PayloadTable
      label="Signatures"
      head={['Index', 'Recovered signer', 'Signature (r, s, recovery)', 'Offset']}
      rows={rows}
    />
  );
}

function Signer({ check, at }: { check: UpdateCheck | undefined; at: number }) {
  const signer = check?.signers[at];
  if (check === undefined) return <span className="faint">Recovering…</span>;
  if (signer === undefined) return <MarkBadge tone="bad">Invalid signature</MarkBadge>;
  return <Hex value={signer} what="signer address" />;
}

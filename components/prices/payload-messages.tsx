'use client';
import { Button } from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type ReactNode, useState } from 'react';
import { Field } from '@/components/ui/field';
import { Icon } from '@/components/ui/icons';
import { countOf, formatScaled } from '@/lib/core/numbers';
import { type ByteRange, partOfMember, rangeAt } from '@/lib/prices/payload/byte-ranges';
import { isDifferent, type MemberComparison, type MessageComparison } from '@/lib/prices/payload/compare';
import { secondsAsIso } from '@/lib/prices/payload/decode';
import { Bytes } from './byte-marks';
import classes from './payload.module.css';
import { type FeedNames, Hex, MarkBadge, type MarkedProps, Offset, PayloadTable } from './payload-cells';

/** If there are more messages, all are folded at first. */
const MAX_OPEN = 2;
/** All 255 at once would block the page. */
const FIRST_SHOWN = 30;

type MessagesProps = MarkedProps & { comparisons: readonly MessageComparison[]; names: FeedNames };

export function Messages({ comparisons, ...shared }: MessagesProps) {
  const [most, setMost] = useState(FIRST_SHOWN);
  return (
    <>
      {comparisons.slice(0, most).map((comparison, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages never move, and two may be equal
        <Message key={at} at={at} comparison={comparison} {...shared} />
      ))}
      {comparisons.length <= most ? null : (
        <div>
          <Button onClick={() => setMost(comparisons.length)}>Show {comparisons.length - most} more</Button>
        </div>
      )}
    </>
  );
}

const grouped = (mantissa: bigint, expo: number) => formatScaled({ mantissa, expo }, { groupSeparator: ',' });

type MessageProps = Omit<MessagesProps, 'comparisons'> & { at: number; comparison: MessageComparison };

function Message({ update: { updates, offsets }, check, at, comparison, names, ranges }: MessageProps) {
  const place = `of update ${at + 1} of ${updates.length}`;
  const rangeOf = (member: string) => rangeAt(ranges, offsets.get(partOfMember(member, place)));
  const { proven, verdict } = comparison;
  const { message, raw, proof } = proven;
  const isProven = check?.proofs[at];
  const [isOpen, setOpen] = useState(updates.length <= MAX_OPEN);
  const hashes = proof.map((hash) => `0x${bytesToHex(hash)}`).join('\n');
  const name =
    message.kind === 'other'
      ? `Message of type ${message.type}`
      : (names.get(message.id) ?? `${message.id.slice(0, 8)}…${message.id.slice(-4)}`);
  return (
    <details
      className={classes.message}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong>
          <bdi className="foreign">{name}</bdi>
        </strong>{' '}
        {message.kind === 'other' ? null : (
          <span className={`num ${classes.figure}`}>
            <b>{grouped(message.price, message.expo)}</b> ±{grouped(message.conf, message.expo)}
            {message.kind === 'price' && <small>{secondsAsIso(message.publishTimeS)}</small>}
          </span>
        )}
        {isProven === undefined && 'Verifying proof…'}
        {isProven === true && <MarkBadge tone="good">Proof valid</MarkBadge>}
        {isProven === false && <MarkBadge tone="bad">Proof invalid</MarkBadge>}{' '}
        {verdict === 'same' ? <MarkBadge tone="good">Equals parsed form</MarkBadge> : null}
        {verdict === 'partly' ? <MarkBadge tone="warn">Equals in part</MarkBadge> : null}
        {verdict === 'differs' ? <MarkBadge tone="bad">Differs from parsed form</MarkBadge> : null}
      </summary>
      {isOpen ? (
        <>
          {message.kind === 'price' ? (
            <Members id={message.id} comparison={comparison} rangeOf={rangeOf} />
          ) : null}
          <details className={classes.proof}>
            <summary>
              Proof: message of {countOf(raw.length, 'byte')}, {countOf(proof.length, 'hash', 'hashes')}
            </summary>
            <dl className="num" aria-label={`Proof of ${name}`}>
              <Field name="Message" value={`0x${bytesToHex(raw)}`}>
                {countOf(raw.length, 'byte')}
                <Offset offset={offsets.get(`message ${place}`)} ranges={ranges} />
              </Field>
              <Field name="Hashes" value={hashes || undefined}>
                {hashes === '' && 'None: the only message of its tree'}
                <code style={{ whiteSpace: 'pre-line' }}>{hashes}</code>
              </Field>
            </dl>
          </details>
        </>
      ) : null}
    </details>
  );
}

type MembersProps = {
  id: string;
  comparison: MessageComparison;
  rangeOf: (member: string) => ByteRange | undefined;
};

function Members({ id, comparison: { verdict, members }, rangeOf }: MembersProps) {
  const head = ['Member', 'Value', 'Raw in the payload', ...(verdict === 'unmatched' ? [] : ['Parsed form'])];
  const rows = members.map((compared) => {
    const cells: ReactNode[] = [
      compared.member,
      <b key="value" className="num">
        {compared.meaning}
      </b>,
      <Bytes key="raw" isFocusable {...rangeOf(compared.member)}>
        <code>{compared.inPayload}</code>
      </Bytes>,
    ];
    return verdict === 'unmatched' ? cells : [...cells, <Parsed key="parsed" compared={compared} />];
  });
  return (
    <>
      <p className={classes.id}>
        Feed id <Hex value={`0x${id}`} what="feed id" />
      </p>
      <PayloadTable label="Members of the price" head={head} rows={rows} />
    </>
  );
}

function Parsed({ compared }: { compared: MemberComparison }) {
  if (compared.inParsed === undefined) return <span className="faint">Missing</span>;
  const differs = isDifferent(compared);
  return (
    <>
      <code>{compared.inParsed}</code> <Icon name={differs ? 'cross' : 'check'} size={13} />
      {differs ? <strong className={classes.bad}>Differs</strong> : <span className="sr-only">Equal</span>}
    </>
  );
}

'use client';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { memberMeaning } from '@/lib/client/payload-words';
import type { ProofVerdict } from '@/lib/domain/payload/check-update';
import type { MemberComparison, MessageComparison } from '@/lib/domain/payload/compare-parsed';
import type { PriceMessage, ProvenMessage } from '@/lib/domain/payload/decode-update';
import { formatScaled } from '@/lib/domain/scaled-number';
import classes from './payload.module.css';
import { Fact, Facts } from './payload-field';
import own from './payload-messages.module.css';

/** Names of feeds by id, as far as they are known. */
export type FeedNames = ReadonlyMap<string, string>;

/** With more of them, each is folded up at first. */
const MOST_OPEN = 2;
/** So many are drawn at first: all 255 at once would hold the page up. */
const FIRST_SHOWN = 30;

/** The messages of a payload, each with its proof and with the parsed form beside it. */
export function PayloadMessages({
  updates,
  proofs,
  comparisons,
  names,
}: {
  updates: readonly ProvenMessage[];
  proofs: readonly ProofVerdict[] | undefined;
  comparisons: readonly MessageComparison[];
  names: FeedNames;
}) {
  const [most, show] = useState(FIRST_SHOWN);
  return (
    <>
      <ol className={own.messages}>
        {updates.slice(0, most).map((proven, at) => (
          <li key={proven.offset}>
            <Message
              proven={proven}
              proof={proofs?.[at]}
              comparison={comparisons[at] ?? { kind: 'other' }}
              names={names}
              atFirst={updates.length <= MOST_OPEN ? 'open' : 'folded'}
            />
          </li>
        ))}
      </ol>
      {updates.length <= most ? null : (
        <p>
          <button type="button" className="small-button" onClick={() => show(updates.length)}>
            Show {updates.length - most} more
          </button>
        </p>
      )}
    </>
  );
}

type MessageProps = {
  proven: ProvenMessage;
  proof: ProofVerdict | undefined;
  comparison: MessageComparison;
  names: FeedNames;
  atFirst: 'open' | 'folded';
};

function Message({ proven, proof, comparison, names, atFirst }: MessageProps) {
  const [standing, stand] = useState(atFirst);
  const { message } = proven;
  return (
    <details
      className={own.message}
      open={standing === 'open'}
      onToggle={(event) => stand(event.currentTarget.open ? 'open' : 'folded')}
    >
      <summary>
        <MessageTitle message={message} names={names} />
        <ProofMark proof={proof} />
        <ComparisonMark comparison={comparison} />
      </summary>
      {standing === 'folded' ? null : (
        <div className={own.messageBody}>
          {message.kind === 'price' && comparison.kind !== 'other' ? (
            <Members message={message} comparison={comparison} />
          ) : null}
          <ProofFacts proven={proven} proof={proof} />
        </div>
      )}
    </details>
  );
}

function MessageTitle({ message, names }: { message: ProvenMessage['message']; names: FeedNames }) {
  if (message.kind === 'other') {
    return <strong className={own.messageName}>Message of type {message.type}, no price</strong>;
  }
  const { id, price, conf, expo } = message;
  return (
    <>
      <strong className={own.messageName}>
        <bdi className="foreign">{names.get(id) ?? `${id.slice(0, 8)}…${id.slice(-4)}`}</bdi>
      </strong>
      <span className={own.messagePrice}>
        {formatScaled({ mantissa: price, expo })}{' '}
        <span className={classes.soft}>±{formatScaled({ mantissa: conf, expo })}</span>
      </span>
    </>
  );
}

function ProofMark({ proof }: { proof: ProofVerdict | undefined }) {
  if (proof === undefined) return <span className={classes.soft}>checking the proof…</span>;
  const isProven = proof.kind === 'proven';
  return (
    <span className={classes.verdict} data-tone={isProven ? 'good' : 'bad'}>
      <Icon name={isProven ? 'check' : 'cross'} size={13} /> {isProven ? 'proof holds' : 'proof fails'}
    </span>
  );
}

function ComparisonMark({ comparison }: { comparison: MessageComparison }) {
  if (comparison.kind !== 'compared') return null;
  const isSame = comparison.verdict === 'same';
  return (
    <span className={classes.verdict} data-tone={isSame ? 'good' : 'bad'}>
      <Icon name={isSame ? 'check' : 'cross'} size={13} /> {isSame ? 'equals parsed' : 'differs from parsed'}
    </span>
  );
}

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

type Compared = Exclude<MessageComparison, { kind: 'other' }>;

function Members({ message, comparison }: { message: PriceMessage; comparison: Compared }) {
  const hasParsed = comparison.kind === 'compared';
  const members = hasParsed ? comparison.members : comparison.members.filter(isOwn);
  return (
    <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
      <p className={own.idLine}>
        Feed id <code>0x{message.id}</code> <CopyButton value={`0x${message.id}`} label="Copy feed id" />
      </p>
      <table className={classes.table} aria-label="Members of the price">
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">In the payload</th>
            <th scope="col">That is</th>
            {hasParsed ? <th scope="col">In the parsed form</th> : null}
          </tr>
        </thead>
        <tbody>
          {members.map((one) => (
            <tr key={one.member} data-verdict={one.verdict}>
              <th scope="row">
                <code>{one.member}</code>
              </th>
              <td>{one.inPayload}</td>
              <td className={classes.soft}>{memberMeaning(one.member, message) ?? ''}</td>
              {hasParsed ? <ParsedCell compared={one} /> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the payload holds once stands twice in the parsed form; without that, once is enough. */
function isOwn({ member }: MemberComparison): boolean {
  return !['ema_price.expo', 'ema_price.publish_time', 'metadata.slot'].includes(member);
}

function ParsedCell({ compared }: { compared: MemberComparison }) {
  if (compared.verdict === 'untold') return <td className={classes.soft}>not told</td>;
  const isSame = compared.verdict === 'same';
  return (
    <td>
      <span className={classes.verdict} data-tone={isSame ? 'good' : 'bad'}>
        {compared.inParsed} <Icon name={isSame ? 'check' : 'cross'} size={13} />
        <span className={isSame ? 'sr-only' : undefined}>{isSame ? 'the same' : 'differs'}</span>
      </span>
    </td>
  );
}

function ProofFacts({ proven, proof }: { proven: ProvenMessage; proof: ProofVerdict | undefined }) {
  const raw = `0x${bytesToHex(proven.raw)}`;
  const hashes = proven.proof.map((hash) => `0x${bytesToHex(hash)}`);
  return (
    <Facts title="Proof">
      <Fact name="Message" offset={proven.offset} copied={raw}>
        {proven.raw.length} bytes
      </Fact>
      <Fact name="Leads to root">
        {proof === undefined ? 'computing…' : <code>0x{proof.leadsTo}</code>}
        {proof?.kind === 'fails' ? ', which is not the signed one' : null}
      </Fact>
      <Fact name="Hashes" copied={hashes.length === 0 ? undefined : hashes.join('\n')}>
        {hashes.length === 0 ? 'none: the message is the only one of its tree' : hashes.length}
        {hashes.length === 0 ? null : <code className={own.hashes}>{hashes.join('\n')}</code>}
      </Fact>
    </Facts>
  );
}

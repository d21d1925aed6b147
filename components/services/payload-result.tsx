'use client';
import { useMemo, useState } from 'react';
import { Icon } from '@/components/ui/icons';
import { generationMeaning, generationName } from '@/lib/client/payload-words';
import { assertNever } from '@/lib/domain/assert-never';
import type { FeedUpdate } from '@/lib/domain/feed';
import type { UpdateCheck } from '@/lib/domain/payload/check-update';
import {
  comparePayloadWithParsed,
  type MessageComparison,
  parsedWithoutPayload,
} from '@/lib/domain/payload/compare-parsed';
import type { DecodedUpdate } from '@/lib/domain/payload/decode-update';
import type { InspectedPayload, Inspection } from '@/lib/domain/payload/inspect';
import { CopyPayload } from './copy-payload';
import classes from './payload.module.css';
import { PayloadFaultView, UnreadableTextView } from './payload-fault';
import { type FeedNames, PayloadMessages } from './payload-messages';
import { PayloadParts, PayloadSignatures } from './payload-update';
import { usePayloadChecks } from './use-payload-checks';

/** All that was found in what was given: one payload at a time, and what concerns them together. */
export function PayloadResult({ inspection, names }: { inspection: Inspection; names: FeedNames }) {
  const [chosen, choose] = useState(0);
  const { updates, standing } = usePayloadChecks(inspection);
  const { payloads, parsed } = inspection;
  const at = chosen < payloads.length ? chosen : 0;
  const payload = payloads[at];
  return (
    <div className={classes.result}>
      <PayloadChoice payloads={payloads} at={at} onChoose={choose} />
      {standing.done < standing.total ? (
        <progress className={classes.progress} value={standing.done} max={standing.total}>
          {standing.done} of {standing.total} signatures and proofs verified
        </progress>
      ) : null}
      <AnswerNotes inspection={inspection} updates={updates} names={names} />
      {payload === undefined ? (
        <p className={classes.soft}>The answer holds no payload.</p>
      ) : (
        <OnePayload
          key={at}
          payload={payload}
          check={payload.kind === 'update' ? standing.checks[updates.indexOf(payload.update)] : undefined}
          parsed={parsed}
          names={names}
        />
      )}
    </div>
  );
}

function PayloadChoice({
  payloads,
  at,
  onChoose,
}: {
  payloads: readonly InspectedPayload[];
  at: number;
  onChoose: (at: number) => void;
}) {
  if (payloads.length < 2) return null;
  return (
    <label className={classes.choice}>
      Payload
      <select value={at} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {payloads.map(namedPayload).map(({ name, place }) => (
          <option key={place} value={place}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function namedPayload(payload: InspectedPayload, place: number, { length }: readonly InspectedPayload[]) {
  const what =
    payload.kind === 'update'
      ? `slot ${payload.update.body.payload.slot}, ${countWords(payload.update.updates.length)}`
      : 'can’t be read';
  return { place, name: `${place + 1} of ${length}: ${what}` };
}

function countWords(messages: number): string {
  return `${messages} ${messages === 1 ? 'message' : 'messages'}`;
}

/** What concerns the answer as a whole; nothing where all is as it should be. */
function AnswerNotes({
  inspection,
  updates,
  names,
}: {
  inspection: Inspection;
  updates: readonly DecodedUpdate[];
  names: FeedNames;
}) {
  const { parsed, unreadableParsed, leftOut } = inspection;
  const without = parsed === undefined ? [] : parsedWithoutPayload(updates, parsed);
  const notes = [
    ...(without.length === 0
      ? []
      : [`In the parsed form only: ${without.map(({ id }) => names.get(id) ?? id).join(', ')}.`]),
    ...(unreadableParsed === 0
      ? []
      : [`Elements of the parsed form that can’t be read: ${unreadableParsed}.`]),
    ...(leftOut === 0 ? [] : [`${leftOut} more payloads are in the answer and not taken apart here.`]),
  ];
  return notes.length === 0 ? null : <Notes notes={notes} />;
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className={classes.notes} aria-label="Remarks">
      {notes.map((note) => (
        <li key={note}>
          <Icon name="alert" size={14} /> <bdi className="foreign">{note}</bdi>
        </li>
      ))}
    </ul>
  );
}

type OneProps = {
  payload: InspectedPayload;
  check: UpdateCheck | undefined;
  parsed: readonly FeedUpdate[] | undefined;
  names: FeedNames;
};

function OnePayload({ payload, ...rest }: OneProps) {
  switch (payload.kind) {
    case 'update':
      return <WholeUpdate bytes={payload.bytes} update={payload.update} {...rest} />;
    case 'fault':
      return <PayloadFaultView bytes={payload.bytes} fault={payload.fault} />;
    case 'unreadable':
      return <UnreadableTextView unreadable={payload} />;
    default:
      return assertNever(payload);
  }
}

type WholeProps = Omit<OneProps, 'payload'> & { bytes: Uint8Array; update: DecodedUpdate };

function WholeUpdate({ bytes, update, check, parsed, names }: WholeProps) {
  const comparisons = useMemo(() => comparePayloadWithParsed(update, parsed ?? []), [update, parsed]);
  return (
    <div className={classes.update}>
      <Verdicts update={update} check={check} comparisons={parsed === undefined ? undefined : comparisons} />
      <div className={classes.tools}>
        <CopyPayload bytes={bytes} encoding="hex" />
        <CopyPayload bytes={bytes} encoding="base64" />
        <span className={classes.soft}>@ tells at which byte something begins.</span>
      </div>
      {update.remarks.length === 0 ? null : (
        <Notes
          notes={update.remarks.map(({ offset, part, remark }) => `Byte ${offset}, ${part}: ${remark}`)}
        />
      )}
      <PayloadParts update={update} check={check} />
      <h3 className={classes.factsTitle}>Signatures ({update.vaa.signatures.length})</h3>
      <PayloadSignatures signatures={update.vaa.signatures} signers={check?.signers} />
      <h3 className={classes.factsTitle}>{countWords(update.updates.length)}</h3>
      <PayloadMessages
        updates={update.updates}
        proofs={check?.proofs}
        comparisons={comparisons}
        names={names}
      />
    </div>
  );
}

/** The conclusions, each with the figures that it rests on. */
function Verdicts({
  update,
  check,
  comparisons,
}: {
  update: DecodedUpdate;
  check: UpdateCheck | undefined;
  /** Undefined: there is no parsed form. */
  comparisons: readonly MessageComparison[] | undefined;
}) {
  return (
    <dl className={classes.verdicts} aria-busy={check === undefined}>
      <div>
        <dt>Generation</dt>
        <dd>
          {check === undefined ? (
            <span className={classes.soft}>recovering signers…</span>
          ) : (
            <Generation verdict={check.generation} />
          )}
        </dd>
      </div>
      <div>
        <dt>Proofs</dt>
        <dd>
          {check === undefined ? <span className={classes.soft}>verifying…</span> : <Proofs check={check} />}
        </dd>
      </div>
      <div>
        <dt>Parsed form</dt>
        <dd>
          <ParsedVerdict comparisons={comparisons} count={update.updates.length} />
        </dd>
      </div>
    </dl>
  );
}

function Generation({ verdict }: { verdict: UpdateCheck['generation'] }) {
  return (
    <>
      <strong data-generation={verdict.generation}>{generationName(verdict.generation)}.</strong>{' '}
      {generationMeaning(verdict.generation)}
      <span className={classes.reasons}>{verdict.reasons.join(' ')}</span>
    </>
  );
}

function Proofs({ check }: { check: UpdateCheck }) {
  const total = check.proofs.length;
  const held = check.proofs.filter(({ kind }) => kind === 'proven').length;
  if (total === 0) return <span className={classes.soft}>There is nothing to prove.</span>;
  return (
    <span className={classes.verdict} data-tone={held === total ? 'good' : 'bad'}>
      <Icon name={held === total ? 'check' : 'cross'} size={14} />
      {held} of {total} {total === 1 ? 'proof leads' : 'proofs lead'} to the signed root.
    </span>
  );
}

function ParsedVerdict({
  comparisons,
  count,
}: {
  comparisons: readonly MessageComparison[] | undefined;
  count: number;
}) {
  if (comparisons === undefined) {
    return (
      <span className={classes.soft}>
        None came with it. Paste a whole answer, or open an update by its link, to compare.
      </span>
    );
  }
  const differing = comparisons.filter((one) => one.kind === 'compared' && one.verdict === 'differs').length;
  const same = comparisons.filter((one) => one.kind === 'compared' && one.verdict === 'same').length;
  const isSame = same === count && count > 0;
  const words = [
    ...(same > 0 ? [`${same} of ${count} messages equal the parsed form, to the digit.`] : []),
    ...(differing > 0 ? [`${differing} of ${count} differ from it.`] : []),
    ...(same + differing < count ? [`${count - same - differing} are not in it.`] : []),
  ];
  return (
    <span className={classes.verdict} data-tone={isSame ? 'good' : differing > 0 ? 'bad' : 'warn'}>
      <Icon name={isSame ? 'check' : differing > 0 ? 'cross' : 'alert'} size={14} />
      {isSame ? 'Equal to the parsed form, member by member, to the digit.' : words.join(' ')}
    </span>
  );
}

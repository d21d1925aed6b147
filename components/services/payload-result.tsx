'use client';
import { Alert, Badge, Button, Group, NativeSelect, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Fragment, type ReactNode, useEffect, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Field } from '@/components/ui/field';
import { Icon } from '@/components/ui/icons';
import { Soft } from '@/components/ui/text';
import type { FeedId, FeedUpdate } from '@/lib/core/feed';
import { formatScaled } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { checkUpdate, GENERATIONS, type UpdateCheck } from '@/lib/prices/payload/check';
import {
  comparePayloadWithParsed,
  feedsHeld,
  isDifferent,
  type MemberComparison,
  type MessageComparison,
} from '@/lib/prices/payload/compare';
import type { DecodedUpdate, PayloadFault, ProvenMessage } from '@/lib/prices/payload/decode';
import { hexAround, type InspectedPayload, type Inspection, sizeWords } from '@/lib/prices/payload/inspect';
import { useSymbols } from '@/lib/prices/symbols';
import classes from './payload.module.css';

/** Names of feeds by id, as far as they are known. */
type FeedNames = ReadonlyMap<string, string>;

/** The symbols of feeds, asked for once something is inspected. Without a directory ids are shown. */
export function useFeedNames(): FeedNames {
  const status = useSymbols();
  return useMemo(() => {
    const symbols = status.state === 'loaded' ? status.answer.symbols : [];
    // Symbols are short words; a directory may hold anything.
    return new Map(symbols.map(({ feedId = '', symbol }) => [feedId, clipped(symbol, 80)]));
  }, [status]);
}

type ResultProps = { inspection: Inspection; asked?: readonly FeedId[] };

/** All that was found in what was given (for the feeds that were asked for): one payload at a time, and what concerns them together. */
export function PayloadResult({ inspection, asked = [] }: ResultProps) {
  const names = useFeedNames();
  const { payloads, parsed, unreadableParsed, leftOut } = inspection;
  const [chosen, setChosen] = useState(0);
  const at = chosen < payloads.length ? chosen : 0;
  const payload = payloads[at];
  const updates = payloads.filter((one) => one.kind === 'update');
  const held = feedsHeld(updates);
  const namesOf = (ids: readonly FeedId[]) =>
    ids.flatMap((id) => (held.has(id) ? [] : [names.get(id) ?? id])).join(', ');
  const lacking = namesOf(asked);
  const without = namesOf((parsed ?? []).map(({ id }) => id));
  const notes = [
    lacking && `Not in any payload: ${lacking}`,
    without && `In the parsed form only: ${without}`,
    unreadableParsed > 0 && `Unreadable in the parsed form: ${unreadableParsed}`,
    leftOut > 0 && `${leftOut} more payloads are not decoded`,
    ...(payload?.kind === 'update' ? payload.remarks : []),
  ].flatMap((note) => note || []);
  return (
    <Stack gap="sm">
      {payloads.length < 2 ? null : (
        <NativeSelect
          label="Payload"
          value={at}
          data={payloads.map((one, place) => ({ value: String(place), label: nameOf(one, place) }))}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
        />
      )}
      {notes.length === 0 ? null : (
        <Alert role="note" aria-label="Remarks">
          {notes.map((note) => (
            <p key={note}>
              <bdi className="foreign">{note}</bdi>
            </p>
          ))}
        </Alert>
      )}
      {payload === undefined ? (
        <Soft>No payload in the answer</Soft>
      ) : payload.kind === 'update' ? (
        <Update key={at} update={payload} parsed={parsed} names={names} />
      ) : (
        <>
          <Alert color="bad" title={faultTitle(payload)}>
            <bdi className="foreign">{payload.problem}</bdi>
          </Alert>
          {payload.kind === 'fault' ? <HexView fault={payload} /> : null}
        </>
      )}
    </Stack>
  );
}

function faultTitle(payload: Exclude<InspectedPayload, DecodedUpdate>): string {
  if (payload.kind === 'unreadable') return 'Unreadable payload';
  return `Not an update: ${payload.part}, ${placeOf(payload)}`;
}

const placeOf = ({ offset }: PayloadFault) => `byte ${offset} (0x${offset.toString(16)})`;

function HexView({ fault }: { fault: PayloadFault }) {
  const rows = hexAround(fault.bytes, fault.offset).map(({ offset, hex, ascii }) => [
    offset.toString(16).padStart(4, '0'),
    hex.map((byte, at) => {
      const place = offset + at;
      return <span key={place}>{place === fault.offset ? <mark>{byte}</mark> : byte} </span>;
    }),
    ascii,
  ]);
  return <DataTable label={`Bytes around ${placeOf(fault)}`} head={['Offset', 'Hex', 'ASCII']} rows={rows} />;
}

type DataProps = { label: string; head: string[]; rows: ReactNode[][] };

function DataTable({ label, head, rows }: DataProps) {
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <Table aria-label={label} verticalSpacing={2} data={{ head, body: rows }} />
    </Table.ScrollContainer>
  );
}

function nameOf(payload: InspectedPayload, place: number): string {
  const what =
    payload.kind === 'update'
      ? `slot ${payload.slot}, ${messagesText(payload.updates.length)}`
      : 'unreadable';
  return `${place + 1}: ${what}`;
}

const messagesText = (count: number) => `${count} ${count === 1 ? 'message' : 'messages'}`;

function Mark({ tone, children }: { tone: 'good' | 'bad' | 'warn'; children: ReactNode }) {
  const icon = tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'alert';
  return (
    <Badge color={tone} leftSection={<Icon name={icon} size={13} />} className={classes.mark}>
      {children}
    </Badge>
  );
}

/** Signers are recovered after what could be read at once is drawn. */
function useCheck(update: DecodedUpdate): UpdateCheck | undefined {
  const [check, setCheck] = useState<UpdateCheck>();
  useEffect(() => {
    const timer = setTimeout(() => setCheck(checkUpdate(update)));
    return () => clearTimeout(timer);
  }, [update]);
  return check;
}

type UpdateProps = { update: DecodedUpdate; parsed: readonly FeedUpdate[] | undefined; names: FeedNames };

function Update({ update, parsed, names }: UpdateProps) {
  const check = useCheck(update);
  const comparisons = useMemo(() => comparePayloadWithParsed(update, parsed ?? []), [update, parsed]);
  return (
    <>
      <Facts title="Conclusions" isBusy={check === undefined}>
        <Field name="Generation">
          {check === undefined ? 'Recovering signers…' : <Generation check={check} />}
        </Field>
        <Field name="Proofs">{check === undefined ? 'Verifying…' : <Proofs proofs={check.proofs} />}</Field>
        <Field name="Parsed form">
          {parsed === undefined ? (
            'None. Paste a whole answer to compare.'
          ) : (
            <ParsedForm comparisons={comparisons} />
          )}
        </Field>
      </Facts>
      <Group gap="sm">
        <CopyEncoded name="hex" make={() => bytesToHex(update.bytes)} />
        <CopyEncoded
          name="base64"
          make={() => btoa(Array.from(update.bytes, (byte) => String.fromCharCode(byte)).join(''))}
        />
        <Soft>@ is the byte offset.</Soft>
      </Group>
      <Parts update={update} check={check} />
      <Title order={3}>Signatures ({update.signatures.length})</Title>
      <Signatures update={update} check={check} />
      <Title order={3}>{messagesText(update.updates.length)}</Title>
      <Messages update={update} check={check} comparisons={comparisons} names={names} />
    </>
  );
}

/** The text is made when it is asked for: it may be megabytes. */
function CopyEncoded({ name, make }: { name: string; make: () => string }) {
  return <Button onClick={() => void navigator.clipboard.writeText(make())}>Copy as {name}</Button>;
}

function Generation({ check: { generation } }: { check: UpdateCheck }) {
  const { name, meaning } = GENERATIONS[generation];
  return (
    <>
      <strong data-generation={generation}>{name}.</strong> {meaning}{' '}
      {generation === 'unknown' ? null : (
        <span className="faint">Signers are distinct. Not checked: whether they are the guardians.</span>
      )}
    </>
  );
}

function Proofs({ proofs }: { proofs: readonly boolean[] }) {
  const held = proofs.filter(Boolean).length;
  if (proofs.length === 0) return 'No messages';
  return (
    <Mark tone={held === proofs.length ? 'good' : 'bad'}>
      {`${held} of ${proofs.length} ${proofs.length === 1 ? 'proof' : 'proofs'} valid`}
    </Mark>
  );
}

function ParsedForm({ comparisons }: { comparisons: readonly MessageComparison[] }) {
  const count = comparisons.length;
  const [same, differing] = (['same', 'differs'] as const).map(
    (word) => comparisons.filter(({ verdict }) => verdict === word).length,
  ) as [number, number];
  if (same === count && count > 0) return <Mark tone="good">Equal to the parsed form</Mark>;
  return (
    <Mark tone={differing > 0 ? 'bad' : 'warn'}>
      {`${same} of ${count} messages equal, ${differing} differ, ${count - same - differing} not in the parsed form`}
    </Mark>
  );
}

type FactsProps = { title: string; of?: string; isBusy?: boolean; children: ReactNode };

function Facts({ title, of, isBusy, children }: FactsProps) {
  return (
    <section aria-label={of === undefined ? title : `${title} of ${of}`} aria-busy={isBusy}>
      <Title order={3}>{title}</Title>
      <dl className="num">{children}</dl>
    </section>
  );
}

function Offset({ of }: { of: number | undefined }) {
  if (of === undefined) return null;
  return (
    <span className="faint" title={`Byte ${of} of the payload`}>
      {' '}
      @{of}
    </span>
  );
}

function Parts({ update: { bytes, header, body }, check }: CheckedProps) {
  const facts = (fields: DecodedUpdate['header']) =>
    fields.map(({ name, value, offset, isId }) => (
      <Field key={name} name={name} value={isId ? value : undefined}>
        {/* A value by itself can be found and selected by itself. */}
        <span>{value}</span>
        <Offset of={offset} />
      </Field>
    ));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Facts title="Header and signed message">
        <Field name="Size">{sizeWords(bytes.length)}</Field>
        {facts(header)}
        <Field name="Signed digest" value={check?.digest}>
          {check?.digest ?? 'Computing…'}
        </Field>
      </Facts>
      <Facts title="Body">{facts(body)}</Facts>
    </SimpleGrid>
  );
}

type CheckedProps = { update: DecodedUpdate; check: UpdateCheck | undefined };

function Signatures({ update: { signatures, offsets }, check }: CheckedProps) {
  if (signatures.length === 0) return <Soft>No signatures</Soft>;
  const rows = signatures.map(({ index, r, s, recovery }, at) => {
    const hex = `0x${bytesToHex(r)}${bytesToHex(s)}${recovery.toString(16).padStart(2, '0')}`;
    return [
      index,
      <Signer key="signer" check={check} at={at} />,
      <Fragment key="signature">
        <code title={hex}>
          {hex.slice(0, 8)}…{hex.slice(-4)}
        </code>{' '}
        <CopyButton value={hex} label={`Copy the signature of signer ${index}`} />
      </Fragment>,
      offsets.get(`signer index of signature ${at + 1} of ${signatures.length}`),
    ];
  });
  return (
    <DataTable
      label="Signatures"
      head={['Index', 'Recovered signer', 'Signature (r, s, recovery)', 'Offset']}
      rows={rows}
    />
  );
}

function Signer({ check, at }: { check: UpdateCheck | undefined; at: number }) {
  const signer = check?.signers[at];
  if (check === undefined) return <span className="faint">Recovering…</span>;
  if (signer === undefined) return <Mark tone="bad">Invalid signature</Mark>;
  return (
    <>
      <code>{signer}</code> <CopyButton value={signer} label="Copy signer address" />
    </>
  );
}

/** With more of them, each is folded up at first. */
const MOST_OPEN = 2;
/** So many are drawn at first: all 255 at once would hold the page up. */
const FIRST_SHOWN = 30;

type MessagesProps = CheckedProps & { comparisons: readonly MessageComparison[]; names: FeedNames };

function Messages({ update: { updates, offsets }, check, comparisons, names }: MessagesProps) {
  const [most, setMost] = useState(FIRST_SHOWN);
  return (
    <>
      {updates.slice(0, most).map((proven, at) => (
        <Message
          // biome-ignore lint/suspicious/noArrayIndexKey: they never move, and may be the same
          key={at}
          proven={proven}
          offset={offsets.get(`message of update ${at + 1} of ${updates.length}`)}
          isProven={check?.proofs[at]}
          comparison={comparisons[at] ?? { verdict: 'other', members: [] }}
          names={names}
          isOpenAtFirst={updates.length <= MOST_OPEN}
        />
      ))}
      {updates.length <= most ? null : (
        <div>
          <Button onClick={() => setMost(updates.length)}>Show {updates.length - most} more</Button>
        </div>
      )}
    </>
  );
}

type MessageProps = {
  proven: ProvenMessage;
  offset: number | undefined;
  isProven: boolean | undefined;
  comparison: MessageComparison;
  names: FeedNames;
  isOpenAtFirst: boolean;
};

function Message({ proven, offset, isProven, comparison, names, isOpenAtFirst }: MessageProps) {
  const { message, raw, proof } = proven;
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { verdict } = comparison;
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
        {message.kind === 'other' ? (
          <strong>{name}</strong>
        ) : (
          <>
            <strong>
              <bdi className="foreign">{name}</bdi>
            </strong>{' '}
            <span className="num">
              {formatScaled({ mantissa: message.price, expo: message.expo })} ±
              {formatScaled({ mantissa: message.conf, expo: message.expo })}
            </span>
          </>
        )}{' '}
        {isProven === undefined ? (
          'Verifying proof…'
        ) : (
          <Mark tone={isProven ? 'good' : 'bad'}>{isProven ? 'Proof valid' : 'Proof invalid'}</Mark>
        )}{' '}
        {verdict === 'same' ? <Mark tone="good">Equals parsed form</Mark> : null}
        {verdict === 'differs' ? <Mark tone="bad">Differs from parsed form</Mark> : null}
      </summary>
      {isOpen ? (
        <>
          {message.kind === 'price' ? <Members id={message.id} comparison={comparison} /> : null}
          <Facts title="Proof" of={name}>
            <Field name="Message" value={`0x${bytesToHex(raw)}`}>
              {sizeWords(raw.length)}
              <Offset of={offset} />
            </Field>
            <Field name="Hashes" value={hashes || undefined}>
              {hashes === '' ? (
                'None: the only message of its tree'
              ) : (
                <code style={{ whiteSpace: 'pre-line' }}>{hashes}</code>
              )}
            </Field>
          </Facts>
        </>
      ) : null}
    </details>
  );
}

function Members({ id, comparison: { verdict, members } }: { id: string; comparison: MessageComparison }) {
  const head = ['Member', 'Payload', 'Value', ...(verdict === 'unmatched' ? [] : ['Parsed form'])];
  const rows = members.map((one) => {
    const cells: ReactNode[] = [one.member, one.inPayload, one.meaning];
    return verdict === 'unmatched' ? cells : [...cells, <Parsed key="parsed" compared={one} />];
  });
  return (
    <>
      <p className={classes.id}>
        Feed id <code>0x{id}</code> <CopyButton value={`0x${id}`} label="Copy feed id" />
      </p>
      <DataTable label="Members of the price" head={head} rows={rows} />
    </>
  );
}

function Parsed({ compared }: { compared: MemberComparison }) {
  if (compared.inParsed === undefined) return <span className="faint">Missing</span>;
  const differs = isDifferent(compared);
  return (
    <>
      {compared.inParsed} <Icon name={differs ? 'cross' : 'check'} size={13} />
      {differs ? <strong className={classes.bad}>Differs</strong> : <span className="sr-only">Equal</span>}
    </>
  );
}

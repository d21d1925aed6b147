'use client';
import { Alert, Badge, Button, Group, NativeSelect, SimpleGrid, Stack, Table, Title } from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Field } from '@/components/ui/field';
import { Icon } from '@/components/ui/icons';
import { Muted } from '@/components/ui/text';
import type { FeedId, FeedUpdate } from '@/lib/core/feed';
import { countOf, formatScaled } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { checkUpdate, GENERATIONS, type UpdateCheck } from '@/lib/prices/payload/check';
import {
  comparePayloadWithParsed,
  feedIdsOf,
  isDifferent,
  type MemberComparison,
  type MessageComparison,
} from '@/lib/prices/payload/compare';
import { type DecodedUpdate, secondsAsIso } from '@/lib/prices/payload/decode';
import { hexAround, type InspectedPayload, type Inspection } from '@/lib/prices/payload/inspect';
import { useSymbols } from '@/lib/prices/symbols';
import classes from './payload.module.css';

/** Known names of feeds by id. */
type FeedNames = ReadonlyMap<string, string>;

/** Symbols of feeds, requested once a payload is inspected. Without a directory ids are shown. */
export function useFeedNames(): FeedNames {
  const symbols = useSymbols().answer?.symbols;
  return useMemo(
    // Clipped, since a directory may hold texts of any length.
    () => new Map(symbols?.map(({ feedId = '', symbol }) => [feedId, clipped(symbol, 80)])),
    [symbols],
  );
}

type ResultProps = { inspection: Inspection; requestedFeeds?: readonly FeedId[] };

/** Result of an inspection: one payload at a time, and notes about all. @param requestedFeeds those of the request, named where no payload has them */
export function PayloadResult({ inspection, requestedFeeds = [] }: ResultProps) {
  const names = useFeedNames();
  const { payloads, parsed, unreadableParsed, leftOut } = inspection;
  const [chosen, setChosen] = useState(0);
  const at = chosen < payloads.length ? chosen : 0;
  const payload = payloads[at];
  const held = feedIdsOf(payloads.filter((one) => one.kind === 'update'));
  const namesOf = (ids: readonly FeedId[]) =>
    ids.flatMap((id) => (held.has(id) ? [] : [names.get(id) ?? id])).join(', ');
  const lacking = namesOf(requestedFeeds);
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
        <Muted>No payload in the answer</Muted>
      ) : payload.kind === 'update' ? (
        <Update key={at} update={payload} parsed={parsed} names={names} />
      ) : (
        <Fault payload={payload} />
      )}
    </Stack>
  );
}

function Fault({ payload }: { payload: Exclude<InspectedPayload, DecodedUpdate> }) {
  const place = payload.kind === 'fault' && `byte ${payload.offset} (0x${payload.offset.toString(16)})`;
  const title = place ? `Not an update: ${payload.part}, ${place}` : 'Unreadable payload';
  return (
    <>
      <Alert color="bad" title={title}>
        <bdi className="foreign">{payload.problem}</bdi>
      </Alert>
      {place && (
        <DataTable
          label={`Bytes around ${place}`}
          head={['Offset', 'Hex', 'ASCII']}
          rows={hexAround(payload.bytes, payload.offset).map(({ offset, hex, ascii }) => [
            offset.toString(16).padStart(4, '0'),
            hex.map((byte, at) => {
              const place = offset + at;
              return <span key={place}>{place === payload.offset ? <mark>{byte}</mark> : byte} </span>;
            }),
            ascii,
          ])}
        />
      )}
    </>
  );
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
  if (payload.kind !== 'update') return `${place + 1}: unreadable`;
  return `${place + 1}: slot ${payload.slot}, ${countOf(payload.updates.length, 'message')}`;
}

const MARKS = { good: 'check', bad: 'cross', warn: 'alert' } as const;

function Mark({ tone, children }: { tone: keyof typeof MARKS; children: ReactNode }) {
  return (
    <Badge color={tone} leftSection={<Icon name={MARKS[tone]} size={13} />} className={classes.mark}>
      {children}
    </Badge>
  );
}

type UpdateProps = { update: DecodedUpdate; parsed: readonly FeedUpdate[] | undefined; names: FeedNames };

function Update({ update, parsed, names }: UpdateProps) {
  // Signers are recovered in a deferred render, after the decoded fields are on screen.
  const drawn = useDeferredValue<DecodedUpdate | undefined>(update, undefined);
  const check = useMemo(() => (drawn === update ? checkUpdate(update) : undefined), [drawn, update]);
  const comparisons = useMemo(() => comparePayloadWithParsed(update, parsed ?? []), [update, parsed]);
  return (
    <>
      <Conclusions update={update} check={check} parsed={parsed} comparisons={comparisons} />
      <Group justify="space-between">
        <Title order={3}>{countOf(update.updates.length, 'message')}</Title>
        <Group gap="sm">
          {Object.entries(ENCODERS).map(([name, encoded]) => (
            // Encoded on click, since the text may be megabytes.
            <Button key={name} onClick={() => void navigator.clipboard.writeText(encoded(update.bytes))}>
              Copy as {name}
            </Button>
          ))}
        </Group>
      </Group>
      <Messages update={update} check={check} comparisons={comparisons} names={names} />
      <Title order={3}>Signatures ({update.signatures.length})</Title>
      <Signatures update={update} check={check} />
      <RawBytes update={update} />
      <Parts update={update} check={check} />
      <Muted>@ is the byte offset.</Muted>
    </>
  );
}

const ENCODERS = {
  hex: bytesToHex,
  base64: (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
};

type Tone = keyof typeof MARKS;
type ConclusionsProps = CheckedProps & {
  parsed: readonly FeedUpdate[] | undefined;
  comparisons: readonly MessageComparison[];
};

/** What the payload proves and what it does not, signatures first. */
function Conclusions({ update, check, parsed, comparisons }: ConclusionsProps) {
  return (
    <section aria-label="Conclusions" aria-busy={check === undefined}>
      <dl className={classes.conclusions}>
        <Signed update={update} check={check} />
        <Guardians update={update} />
        <Generation check={check} />
        <Proofs check={check} />
        <ParsedForm parsed={parsed} comparisons={comparisons} />
      </dl>
    </section>
  );
}

type ConclusionProps = { name: string; tone: Tone | 'idle'; title: ReactNode; children?: ReactNode };

function Conclusion({ name, tone, title, children }: ConclusionProps) {
  return (
    <div data-tone={tone}>
      <dt>{name}</dt>
      <dd>
        <strong>
          <Icon name={tone === 'idle' ? 'dotted' : MARKS[tone]} size={14} /> <span>{title}</span>
        </strong>
        <p>{children}</p>
      </dd>
    </div>
  );
}

function Signed({ update: { signatures }, check }: CheckedProps) {
  const name = 'Signatures';
  if (check === undefined) return <Conclusion name={name} tone="idle" title="Recovering signers…" />;
  const { signers, generation } = check;
  const invalid = signers.filter((signer) => signer === undefined).length;
  if (invalid > 0) {
    const title = `${invalid} of ${countOf(signatures.length, 'signature')} invalid`;
    return <Conclusion name={name} tone="bad" title={title} />;
  }
  const distinct = countOf(new Set(signers).size, 'distinct signer');
  return (
    <Conclusion name={name} tone={generation === 'unknown' ? 'bad' : 'good'} title={distinct}>
      {generation === 'unknown' ? 'No quorum of a known guardian set.' : 'As many as a quorum needs.'}
    </Conclusion>
  );
}

/** The guardians of a set are known to contracts, not here. */
function Guardians({ update: { header } }: Pick<CheckedProps, 'update'>) {
  const set = header.find(({ name }) => name === 'Guardian set')?.value;
  return (
    <Conclusion name="Guardians" tone="warn" title="Not checked">
      Anybody can sign. Compare the signers below with guardian set {set} of the contract.
    </Conclusion>
  );
}

function Generation({ check }: Pick<CheckedProps, 'check'>) {
  if (check === undefined) return <Conclusion name="Generation" tone="idle" title="Recovering signers…" />;
  const { name, meaning } = GENERATIONS[check.generation];
  return (
    <Conclusion
      name="Generation"
      tone={check.generation === 'unknown' ? 'bad' : 'good'}
      title={<span data-generation={check.generation}>{name}.</span>}
    >
      {meaning}
    </Conclusion>
  );
}

function Proofs({ check }: Pick<CheckedProps, 'check'>) {
  if (check === undefined) return <Conclusion name="Proofs" tone="idle" title="Verifying…" />;
  const { proofs } = check;
  const held = proofs.filter(Boolean).length;
  if (proofs.length === 0) return <Conclusion name="Proofs" tone="idle" title="No messages" />;
  const isValid = held === proofs.length;
  return (
    <Conclusion
      name="Proofs"
      tone={isValid ? 'good' : 'bad'}
      title={`${held} of ${countOf(proofs.length, 'proof')} valid`}
    >
      {isValid ? 'Each message leads to the signed root.' : 'A message does not lead to the signed root.'}
    </Conclusion>
  );
}

function ParsedForm({ parsed, comparisons }: Omit<ConclusionsProps, keyof CheckedProps>) {
  const name = 'Parsed form';
  if (parsed === undefined) {
    return (
      <Conclusion name={name} tone="idle" title="None">
        Paste a whole answer to compare.
      </Conclusion>
    );
  }
  const count = comparisons.length;
  const having = (word: string) => comparisons.filter(({ verdict }) => verdict === word).length;
  const same = having('same');
  const differing = having('differs');
  if (same === count && count > 0) {
    return (
      <Conclusion name={name} tone="good" title="Equal">
        Every figure, to the last digit.
      </Conclusion>
    );
  }
  const missing = `${count - same - differing} not in the parsed form`;
  return (
    <Conclusion
      name={name}
      tone={differing > 0 ? 'bad' : 'warn'}
      title={`${same} of ${countOf(count, 'message')} equal`}
    >
      {differing} differ, {missing}.
    </Conclusion>
  );
}

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

function Offset({ offset = 0 }: { offset: number | undefined }) {
  return <span className="faint" title={`Byte ${offset} of the payload`}>{` @${offset}`}</span>;
}

function Parts({ update: { bytes, header, body }, check }: CheckedProps) {
  const facts = (fields: DecodedUpdate['header']) =>
    fields.map(({ name, value, offset, isId }) => (
      <Field key={name} name={name} value={isId ? value : undefined}>
        {/* An element of its own, so that the value can be selected alone. */}
        <span>{value}</span>
        <Offset offset={offset} />
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

/** Bytes shown of a payload; the copy has all. */
const MAX_SHOWN_BYTES = 2048;

/** The encoded payload, its parts in colours. */
function RawBytes({ update: { bytes, signatures, offsets } }: Pick<CheckedProps, 'update'>) {
  const bodyAt = offsets.get('timestamp') ?? bytes.length;
  const signaturesAt = offsets.get(`signer index of signature 1 of ${signatures.length}`) ?? bodyAt;
  const messagesAt = offsets.get('update count') ?? bytes.length;
  const parts = [
    { name: 'Header', from: 0, to: signaturesAt },
    { name: 'Signatures', from: signaturesAt, to: bodyAt },
    { name: 'Body', from: bodyAt, to: messagesAt },
    { name: 'Messages and proofs', from: messagesAt, to: bytes.length },
  ];
  return (
    <section aria-label="Raw bytes">
      <Group gap="0 var(--ks-gap-lg)">
        <Title order={3}>Raw bytes</Title>
        {parts.map(({ name, from, to }, at) => (
          <span key={name} className={`${classes.part} ${classes.tint}`} data-part={at}>
            {name} <small className="num">{countOf(to - from, 'byte')}</small>
          </span>
        ))}
      </Group>
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <pre className={classes.raw} {...{ tabIndex: 0 }}>
        {parts.map(({ name, from, to }, at) => (
          <span key={name} className={classes.tint} data-part={at}>
            {bytesToHex(bytes.subarray(from, Math.min(to, MAX_SHOWN_BYTES)))}
          </span>
        ))}
        {bytes.length > MAX_SHOWN_BYTES ? '…' : ''}
      </pre>
    </section>
  );
}

type CheckedProps = { update: DecodedUpdate; check: UpdateCheck | undefined };

function Signatures({ update: { signatures, offsets }, check }: CheckedProps) {
  if (signatures.length === 0) return <Muted>No signatures</Muted>;
  const rows = signatures.map(({ index, r, s, recovery }, at) => {
    const hex = `0x${bytesToHex(r)}${bytesToHex(s)}${recovery.toString(16).padStart(2, '0')}`;
    return [
      index,
      <Signer key="signer" check={check} at={at} />,
      <Hex key="signature" value={hex} what={`the signature of signer ${index}`}>
        {hex.slice(0, 8)}…{hex.slice(-4)}
      </Hex>,
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
  return <Hex value={signer} what="signer address" />;
}

type HexProps = { value: string; what: string; children?: ReactNode };

function Hex({ value, what, children = value }: HexProps) {
  return (
    <>
      <code title={value}>{children}</code> <CopyButton value={value} label={`Copy ${what}`} />
    </>
  );
}

/** Messages that are open at first; if there are more, all are folded. */
const MAX_OPEN = 2;
/** Messages rendered at first: all 255 at once would block the page. */
const FIRST_SHOWN = 30;

type MessagesProps = CheckedProps & { comparisons: readonly MessageComparison[]; names: FeedNames };

function Messages({ comparisons, ...shared }: MessagesProps) {
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

function Message({ update: { updates, offsets }, check, at, comparison, names }: MessageProps) {
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
        {isProven === true && <Mark tone="good">Proof valid</Mark>}
        {isProven === false && <Mark tone="bad">Proof invalid</Mark>}{' '}
        {verdict === 'same' ? <Mark tone="good">Equals parsed form</Mark> : null}
        {verdict === 'differs' ? <Mark tone="bad">Differs from parsed form</Mark> : null}
      </summary>
      {isOpen ? (
        <>
          {message.kind === 'price' ? <Members id={message.id} comparison={comparison} /> : null}
          <details className={classes.proof}>
            <summary>
              Proof: message of {countOf(raw.length, 'byte')}, {countOf(proof.length, 'hash', 'hashes')}
            </summary>
            <dl className="num" aria-label={`Proof of ${name}`}>
              <Field name="Message" value={`0x${bytesToHex(raw)}`}>
                {countOf(raw.length, 'byte')}
                <Offset offset={offsets.get(`message of update ${at + 1} of ${updates.length}`)} />
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

function Members({ id, comparison: { verdict, members } }: { id: string; comparison: MessageComparison }) {
  const head = ['Member', 'Value', 'Raw in the payload', ...(verdict === 'unmatched' ? [] : ['Parsed form'])];
  const rows = members.map((one) => {
    const cells: ReactNode[] = [
      one.member,
      <b key="value" className="num">
        {one.meaning}
      </b>,
      <code key="raw">{one.inPayload}</code>,
    ];
    return verdict === 'unmatched' ? cells : [...cells, <Parsed key="parsed" compared={one} />];
  });
  return (
    <>
      <p className={classes.id}>
        Feed id <Hex value={`0x${id}`} what="feed id" />
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
      <code>{compared.inParsed}</code> <Icon name={differs ? 'cross' : 'check'} size={13} />
      {differs ? <strong className={classes.bad}>Differs</strong> : <span className="sr-only">Equal</span>}
    </>
  );
}

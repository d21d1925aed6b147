'use client';
import {
  Alert,
  Badge,
  Button,
  Group,
  NativeSelect,
  SimpleGrid,
  Stack,
  Table,
  Text,
  Title,
} from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import type { FeedUpdate } from '@/lib/core/feed';
import { formatScaled } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import {
  checkSteps,
  checkUpdate,
  type ProofVerdict,
  type SignerVerdict,
  type UpdateCheck,
} from '@/lib/prices/payload/check';
import {
  comparePayloadWithParsed,
  type MemberComparison,
  type MessageComparison,
  parsedWithoutPayload,
} from '@/lib/prices/payload/compare';
import type { DecodedUpdate, PayloadFault, ProvenMessage } from '@/lib/prices/payload/decode';
import type { InspectedPayload, Inspection, UnreadableText } from '@/lib/prices/payload/inspect';
import {
  generationMeaning,
  generationName,
  memberMeaning,
  offsetWords,
  secondsAsIso,
  sizeWords,
} from '@/lib/prices/payload/labels';
import { hexAround, payloadText } from '@/lib/prices/payload/text';
import classes from './payload.module.css';

/** Names of feeds by id, as far as they are known. */
export type FeedNames = ReadonlyMap<string, string>;

/** How long signatures and proofs are verified before others have their turn: half a frame, ms. */
const SLICE_MS = 8;

/** Verifies updates in slices while somebody looks on; `checks` has those that are through. */
function useChecks(updates: readonly DecodedUpdate[]) {
  const [status, setStatus] = useState<{ done: number; checks: UpdateCheck[] }>({ done: 0, checks: [] });
  useEffect(() => {
    let isGone = false;
    async function run() {
      const checks: UpdateCheck[] = [];
      let done = 0;
      let untilMs = 0;
      for (const update of updates) {
        const steps = checkUpdate(update);
        for (let step = steps.next(); ; step = steps.next()) {
          if (step.done === true) {
            checks.push(step.value);
            break;
          }
          done += 1;
          if (performance.now() < untilMs) continue;
          setStatus({ done, checks: [...checks] });
          await new Promise((resolve) => setTimeout(resolve));
          if (isGone) return;
          untilMs = performance.now() + SLICE_MS;
        }
      }
      setStatus({ done, checks });
    }
    setStatus({ done: 0, checks: [] });
    void run();
    return () => {
      isGone = true;
    };
  }, [updates]);
  return { ...status, total: updates.reduce((sum, update) => sum + checkSteps(update), 0) };
}

/** All that was found in what was given: one payload at a time, and what concerns them together. */
export function PayloadResult({ inspection, names }: { inspection: Inspection; names: FeedNames }) {
  const { payloads, parsed, unreadableParsed, leftOut } = inspection;
  const [chosen, setChosen] = useState(0);
  const updates = useMemo(
    () => payloads.flatMap((one) => (one.kind === 'update' ? [one.update] : [])),
    [payloads],
  );
  const { done, total, checks } = useChecks(updates);
  const at = chosen < payloads.length ? chosen : 0;
  const payload = payloads[at];
  const without = parsedWithoutPayload(updates, parsed ?? []);
  return (
    <Stack gap="sm">
      {payloads.length < 2 ? null : (
        <NativeSelect
          label="Payload"
          value={at}
          data={payloads.map((one, place) => ({
            value: String(place),
            label: nameOf(one, place, payloads.length),
          }))}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
        />
      )}
      {done < total ? (
        <progress
          className={classes.progress}
          value={done}
          max={total}
          aria-label="Signatures and proofs verified"
        />
      ) : null}
      <Notes
        notes={[
          ...(without.length === 0
            ? []
            : [`In the parsed form only: ${without.map(({ id }) => names.get(id) ?? id).join(', ')}.`]),
          ...(unreadableParsed === 0 ? [] : [`Unreadable elements of the parsed form: ${unreadableParsed}.`]),
          ...(leftOut === 0 ? [] : [`${leftOut} more payloads are not taken apart here.`]),
        ]}
      />
      {payload === undefined ? <Text c="dimmed">The answer holds no payload.</Text> : null}
      {payload?.kind === 'update' ? (
        <Update
          key={at}
          bytes={payload.bytes}
          update={payload.update}
          check={checks[updates.indexOf(payload.update)]}
          parsed={parsed}
          names={names}
        />
      ) : null}
      {payload?.kind === 'fault' ? <Fault bytes={payload.bytes} fault={payload.fault} /> : null}
      {payload?.kind === 'unreadable' ? <Unreadable unreadable={payload} /> : null}
    </Stack>
  );
}

function nameOf(payload: InspectedPayload, place: number, count: number): string {
  const what =
    payload.kind === 'update'
      ? `slot ${payload.update.body.payload.slot}, ${messagesText(payload.update.updates.length)}`
      : 'unreadable';
  return `${place + 1} of ${count}: ${what}`;
}

const messagesText = (count: number) => `${count} ${count === 1 ? 'message' : 'messages'}`;

function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <Alert role="note" aria-label="Remarks">
      {notes.map((note) => (
        <p key={note}>
          <bdi className="foreign">{note}</bdi>
        </p>
      ))}
    </Alert>
  );
}

type Tone = 'good' | 'bad' | 'warn';

function Mark({ tone, children }: { tone: Tone; children: ReactNode }) {
  const icon = tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'alert';
  return (
    <Badge color={tone} leftSection={<Icon name={icon} size={13} />} className={classes.mark}>
      {children}
    </Badge>
  );
}

type UpdateProps = {
  bytes: Uint8Array;
  update: DecodedUpdate;
  check: UpdateCheck | undefined;
  /** Undefined: there is no parsed form. */
  parsed: readonly FeedUpdate[] | undefined;
  names: FeedNames;
};

function Update({ bytes, update, check, parsed, names }: UpdateProps) {
  const comparisons = useMemo(() => comparePayloadWithParsed(update, parsed ?? []), [update, parsed]);
  const { signatures } = update.vaa;
  return (
    <>
      <Facts title="Conclusions" isBusy={check === undefined}>
        <Fact name="Generation">
          {check === undefined ? 'recovering signers…' : <Generation check={check} />}
        </Fact>
        <Fact name="Proofs">{check === undefined ? 'verifying…' : <Proofs proofs={check.proofs} />}</Fact>
        <Fact name="Parsed form">
          {parsed === undefined ? (
            'None came with it. Paste a whole answer to compare.'
          ) : (
            <Parsed comparisons={comparisons} />
          )}
        </Fact>
      </Facts>
      <Group gap="sm">
        {(['hex', 'base64'] as const).map((encoding) => (
          // Made when it is asked for: it may be megabytes.
          <Button
            key={encoding}
            onClick={() => void navigator.clipboard.writeText(payloadText(bytes, encoding))}
          >
            Copy as {encoding}
          </Button>
        ))}
        <Text c="dimmed">@ tells at which byte something begins.</Text>
      </Group>
      <Notes notes={update.remarks.map(({ offset, part, remark }) => `Byte ${offset}, ${part}: ${remark}`)} />
      <Parts update={update} check={check} />
      <Title order={3}>Signatures ({signatures.length})</Title>
      <Signatures update={update} signers={check?.signers} />
      <Title order={3}>{messagesText(update.updates.length)}</Title>
      <Messages update={update} proofs={check?.proofs} comparisons={comparisons} names={names} />
    </>
  );
}

function Generation({ check: { generation } }: { check: UpdateCheck }) {
  return (
    <>
      <strong data-generation={generation.generation}>{generationName(generation.generation)}.</strong>{' '}
      {generationMeaning(generation.generation)}{' '}
      <span className={classes.soft}>{generation.reasons.join(' ')}</span>
    </>
  );
}

function Proofs({ proofs }: { proofs: readonly ProofVerdict[] }) {
  const held = proofs.filter(({ kind }) => kind === 'proven').length;
  if (proofs.length === 0) return 'There is nothing to prove.';
  return (
    <Mark tone={held === proofs.length ? 'good' : 'bad'}>
      {`${held} of ${proofs.length} ${proofs.length === 1 ? 'proof leads' : 'proofs lead'} to the signed root.`}
    </Mark>
  );
}

function Parsed({ comparisons }: { comparisons: readonly MessageComparison[] }) {
  const count = comparisons.length;
  const countOf = (verdict: 'same' | 'differs') =>
    comparisons.filter((one) => one.kind === 'compared' && one.verdict === verdict).length;
  const [same, differing] = [countOf('same'), countOf('differs')];
  if (same === count && count > 0)
    return <Mark tone="good">Equal to the parsed form, member by member, to the digit.</Mark>;
  return (
    <Mark tone={differing > 0 ? 'bad' : 'warn'}>
      {`${same} of ${count} messages equal the parsed form, ${differing} differ, ${count - same - differing} are not in it.`}
    </Mark>
  );
}

function Facts({ title, isBusy, children }: { title: string; isBusy?: boolean; children: ReactNode }) {
  return (
    <section aria-label={title} aria-busy={isBusy}>
      <Title order={3}>{title}</Title>
      <dl className={classes.facts}>{children}</dl>
    </section>
  );
}

/** One fact. @param offset where it stands in the payload; @param copied what the button copies, none without it */
function Fact({
  name,
  offset,
  copied,
  children,
}: {
  name: string;
  offset?: number;
  copied?: string;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {/* A value by itself can be found and selected by itself. */}
        <span>{children}</span>{' '}
        {copied === undefined ? null : <CopyButton value={copied} label={`Copy ${name.toLowerCase()}`} />}{' '}
        {offset === undefined ? null : (
          <span className={classes.soft} title={`Begins at byte ${offset} of the payload`}>
            @{offset}
          </span>
        )}
      </dd>
    </div>
  );
}

/** Header, signed message and its root, field by field: names, the part that each stands in, the value. */
function Parts({ update, check }: { update: DecodedUpdate; check: UpdateCheck | undefined }) {
  const { header, vaa, body } = update;
  const at = (name: string) => update.parts.find((part) => part.name === name)?.offset;
  const fact = (name: string, part: string, value: string, copied?: string) => (
    <Fact key={name} name={name} offset={at(part)} copied={copied}>
      {value}
    </Fact>
  );
  const hex = (bytes: Uint8Array) => `0x${bytesToHex(bytes)}`;
  const digest = check === undefined ? undefined : `0x${check.digest}`;
  const address = `0x${body.emitterAddress}`;
  const root = hex(body.payload.root);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Facts title="Header and signed message">
        <Fact name="Size">{sizeWords(update.size)}</Fact>
        {fact('Magic, version', 'magic', `PNAU, ${header.major}.${header.minor}`)}
        {fact(
          'Trailing header',
          'length of the trailing header',
          header.trailing.length === 0 ? 'empty' : hex(header.trailing),
        )}
        {fact('Proof type', 'proof type', `${header.proofType}, Merkle`)}
        {fact('Signed message', 'VAA version', `VAA version ${vaa.version}, ${sizeWords(vaa.length)}`)}
        {fact('Guardian set', 'guardian set index', String(vaa.setIndex))}
        {fact('Signatures', 'signature count', String(vaa.signatures.length))}
        <Fact name="Signed digest" copied={digest}>
          {digest ?? 'computing…'}
        </Fact>
      </Facts>
      <Facts title="Body">
        {fact('Timestamp', 'timestamp', `${body.timestamp} ${secondsAsIso(BigInt(body.timestamp)) ?? ''}`)}
        {fact('Nonce', 'nonce', String(body.nonce))}
        {fact('Emitter chain', 'emitter chain', String(body.emitterChain))}
        {fact('Emitter address', 'emitter address', address, address)}
        {fact('Sequence', 'sequence', String(body.sequence), String(body.sequence))}
        {fact('Consistency', 'consistency level', String(body.consistency))}
        {fact('Slot', 'slot', String(body.payload.slot), String(body.payload.slot))}
        {fact('Ring size', 'ring size', String(body.payload.ringSize))}
        {fact('Merkle root', 'root', root, root)}
      </Facts>
    </SimpleGrid>
  );
}

function HeadRow({ names }: { names: readonly string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {names.map((name) => (
          <Table.Th key={name} scope="col">
            {name}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}

/** Who signed, one row for each signature. */
function Signatures({
  update,
  signers,
}: {
  update: DecodedUpdate;
  signers: readonly SignerVerdict[] | undefined;
}) {
  const { signatures } = update.vaa;
  if (signatures.length === 0) return <Text c="dimmed">Nobody signed it.</Text>;
  return (
    <Table.ScrollContainer minWidth={760} type="native">
      <Table aria-label="Signatures" verticalSpacing={2}>
        <HeadRow names={['Index', 'Recovered signer', 'r', 's', 'Recovery', 'Offset']} />
        <Table.Tbody>
          {signatures.map(({ index, r, s, recovery, offset }, at) => (
            <Table.Tr key={offset}>
              <Table.Th scope="row">{index}</Table.Th>
              <Table.Td>
                <Signer signer={signers?.[at]} />
              </Table.Td>
              <Table.Td>
                <ShortHex bytes={r} label={`Copy r of signer ${index}`} />
              </Table.Td>
              <Table.Td>
                <ShortHex bytes={s} label={`Copy s of signer ${index}`} />
              </Table.Td>
              <Table.Td>{recovery}</Table.Td>
              <Table.Td className={classes.soft}>{offset}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Signer({ signer }: { signer: SignerVerdict | undefined }) {
  if (signer === undefined) return <span className={classes.soft}>recovering…</span>;
  if (signer.kind === 'unrecoverable') return <Mark tone="bad">{signer.problem}</Mark>;
  return (
    <>
      <code>{signer.address}</code> <CopyButton value={signer.address} label="Copy signer address" />
    </>
  );
}

function ShortHex({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const hex = `0x${bytesToHex(bytes)}`;
  return (
    <>
      <code title={hex}>
        {hex.slice(0, 8)}…{hex.slice(-4)}
      </code>{' '}
      <CopyButton value={hex} label={label} />
    </>
  );
}

/** With more of them, each is folded up at first. */
const MOST_OPEN = 2;
/** So many are drawn at first: all 255 at once would hold the page up. */
const FIRST_SHOWN = 30;

/** The messages of a payload, each with its proof and with the parsed form beside it. */
function Messages({
  update: { updates },
  proofs,
  comparisons,
  names,
}: {
  update: DecodedUpdate;
  proofs: readonly ProofVerdict[] | undefined;
  comparisons: readonly MessageComparison[];
  names: FeedNames;
}) {
  const [most, setMost] = useState(FIRST_SHOWN);
  return (
    <>
      {updates.slice(0, most).map((proven, at) => (
        <Message
          key={proven.offset}
          proven={proven}
          proof={proofs?.[at]}
          comparison={comparisons[at] ?? { kind: 'other' }}
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

function Message({
  proven,
  proof,
  comparison,
  names,
  isOpenAtFirst,
}: {
  proven: ProvenMessage;
  proof: ProofVerdict | undefined;
  comparison: MessageComparison;
  names: FeedNames;
  isOpenAtFirst: boolean;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { message } = proven;
  return (
    <details
      className={classes.message}
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <strong>
          {message.kind === 'other' ? (
            `Message of type ${message.type}, no price`
          ) : (
            <bdi className="foreign">
              {names.get(message.id) ?? `${message.id.slice(0, 8)}…${message.id.slice(-4)}`}
            </bdi>
          )}
        </strong>{' '}
        {message.kind === 'other' ? null : (
          <span className="num">
            {formatScaled({ mantissa: message.price, expo: message.expo })} ±
            {formatScaled({ mantissa: message.conf, expo: message.expo })}
          </span>
        )}{' '}
        {proof === undefined ? (
          'checking the proof…'
        ) : proof.kind === 'proven' ? (
          <Mark tone="good">proof holds</Mark>
        ) : (
          <Mark tone="bad">proof fails</Mark>
        )}{' '}
        {comparison.kind !== 'compared' ? null : comparison.verdict === 'same' ? (
          <Mark tone="good">equals parsed</Mark>
        ) : (
          <Mark tone="bad">differs from parsed</Mark>
        )}
      </summary>
      {isOpen ? (
        <>
          <Members proven={proven} comparison={comparison} />
          <ProofFacts proven={proven} proof={proof} />
        </>
      ) : null}
    </details>
  );
}

/** What the payload holds once stands twice in the parsed form; without that, once is enough. */
const TWICE = ['ema_price.expo', 'ema_price.publish_time', 'metadata.slot'];

function Members({
  proven: { message },
  comparison,
}: {
  proven: ProvenMessage;
  comparison: MessageComparison;
}) {
  if (message.kind !== 'price' || comparison.kind === 'other') return null;
  const hasParsed = comparison.kind === 'compared';
  const members = comparison.members.filter(({ member }) => hasParsed || !TWICE.includes(member));
  return (
    <Table.ScrollContainer minWidth={560} type="native">
      <p>
        Feed id <code>0x{message.id}</code> <CopyButton value={`0x${message.id}`} label="Copy feed id" />
      </p>
      <Table aria-label="Members of the price" verticalSpacing={2}>
        <HeadRow
          names={['Member', 'In the payload', 'That is', ...(hasParsed ? ['In the parsed form'] : [])]}
        />
        <Table.Tbody>
          {members.map((one) => (
            <Table.Tr key={one.member}>
              <Table.Th scope="row">
                <code>{one.member}</code>
              </Table.Th>
              <Table.Td>{one.inPayload}</Table.Td>
              <Table.Td className={classes.soft}>{memberMeaning(one.member, message) ?? ''}</Table.Td>
              {hasParsed ? <ParsedCell compared={one} /> : null}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function ParsedCell({ compared: { verdict, inParsed } }: { compared: MemberComparison }) {
  if (verdict === 'untold') return <Table.Td className={classes.soft}>not told</Table.Td>;
  return (
    <Table.Td>
      {inParsed} <Icon name={verdict === 'same' ? 'check' : 'cross'} size={13} />
      {verdict === 'same' ? (
        <span className="sr-only">the same</span>
      ) : (
        <strong className={classes.bad}>differs</strong>
      )}
    </Table.Td>
  );
}

function ProofFacts({ proven, proof }: { proven: ProvenMessage; proof: ProofVerdict | undefined }) {
  const hashes = proven.proof.map((hash) => `0x${bytesToHex(hash)}`).join('\n');
  return (
    <Facts title="Proof">
      <Fact name="Message" offset={proven.offset} copied={`0x${bytesToHex(proven.raw)}`}>
        {proven.raw.length} bytes
      </Fact>
      <Fact name="Leads to root">
        {proof === undefined ? 'computing…' : `0x${proof.leadsTo}`}
        {proof?.kind === 'fails' ? ', which is not the signed one' : null}
      </Fact>
      <Fact name="Hashes" copied={hashes === '' ? undefined : hashes}>
        {hashes === '' ? 'none: the message is the only one of its tree' : <code>{hashes}</code>}
      </Fact>
    </Facts>
  );
}

/** Bytes that are no update: what is wrong, where, and what stands there. */
function Fault({ bytes, fault }: { bytes: Uint8Array; fault: PayloadFault }) {
  const read = fault.parts.at(-1);
  const rows = hexAround(bytes, fault.offset);
  return (
    <>
      <Alert color="bad" title={`This is no update: ${fault.part}, ${offsetWords(fault.offset)}.`}>
        {fault.problem}
      </Alert>
      <Text c="dimmed">
        {sizeWords(bytes.length)} in all.{' '}
        {read === undefined
          ? 'Nothing could be read before that.'
          : `The last part that could be read is the ${read.name}, from byte ${read.offset}.`}
        {fault.offset < bytes.length ? '' : ` The bytes end here: byte ${bytes.length} would be the next.`}
      </Text>
      {rows.length === 0 ? null : (
        <Table.ScrollContainer minWidth={560} type="native">
          <Table ff="monospace" verticalSpacing={0} aria-label={`Bytes around ${offsetWords(fault.offset)}`}>
            <Table.Tbody>
              {rows.map((row) => (
                <Table.Tr key={row.offset}>
                  <Table.Th scope="row">{row.offset.toString(16).padStart(4, '0')}</Table.Th>
                  <Table.Td>
                    {row.hex.map((hex, at) => {
                      const place = row.offset + at;
                      return <span key={place}>{place === fault.offset ? <mark>{hex}</mark> : hex} </span>;
                    })}
                  </Table.Td>
                  <Table.Td>{row.ascii}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}

/** Characters shown on either side of the one that is wrong. */
const AROUND = 24;

/** Text that is no bytes: what is wrong, and the characters around that place. */
function Unreadable({ unreadable: { text, problem, place } }: { unreadable: UnreadableText }) {
  const index = place?.index ?? 0;
  const title =
    place === undefined
      ? 'This can’t be read.'
      : `This can’t be read: line ${place.line}, column ${place.column}.`;
  return (
    <Alert color="bad" title={title}>
      <p>{problem}</p>
      <code className="foreign">
        {clipped(text.slice(Math.max(0, index - AROUND), index), AROUND)}
        <mark>{clipped(text.slice(index, index + 1), 1)}</mark>
        {clipped(text.slice(index + 1, index + 1 + AROUND), AROUND)}
      </code>
    </Alert>
  );
}

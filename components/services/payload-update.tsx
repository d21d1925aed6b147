'use client';
import { bytesToHex } from '@noble/hashes/utils.js';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { secondsAsIso, sizeWords } from '@/lib/client/payload-words';
import type { UpdateCheck } from '@/lib/domain/payload/check-update';
import type { DecodedUpdate, PayloadSignature } from '@/lib/domain/payload/decode-update';
import type { SignerVerdict } from '@/lib/domain/payload/signers';
import classes from './payload.module.css';
import { Fact, Facts } from './payload-field';

/** Where a part stands, by its name. */
function offsetOf(update: DecodedUpdate, name: string): number | undefined {
  return update.parts.find((part) => part.name === name)?.offset;
}

/** Header, signed message and its root, field by field. */
export function PayloadParts({ update, check }: { update: DecodedUpdate; check: UpdateCheck | undefined }) {
  return (
    <div className={classes.columns}>
      <HeaderFacts update={update} check={check} />
      <BodyFacts update={update} />
    </div>
  );
}

function HeaderFacts({ update, check }: { update: DecodedUpdate; check: UpdateCheck | undefined }) {
  const { header, vaa } = update;
  const at = (name: string) => offsetOf(update, name);
  return (
    <Facts title="Header and signed message">
      <Fact name="Size">{sizeWords(update.size)}</Fact>
      <Fact name="Magic, version" offset={at('magic')}>
        PNAU, {header.major}.{header.minor}
      </Fact>
      <Fact name="Trailing header" offset={at('length of the trailing header')}>
        {header.trailing.length === 0 ? 'empty' : `0x${bytesToHex(header.trailing)}`}
      </Fact>
      <Fact name="Proof type" offset={at('proof type')}>
        {header.proofType}, Merkle
      </Fact>
      <Fact name="Signed message" offset={vaa.offset}>
        VAA version {vaa.version}, {sizeWords(vaa.length)}
      </Fact>
      <Fact name="Guardian set" offset={at('guardian set index')}>
        {vaa.setIndex}
      </Fact>
      <Fact name="Signatures" offset={at('signature count')}>
        {vaa.signatures.length}
      </Fact>
      <Fact name="Signed digest" copied={check === undefined ? undefined : `0x${check.digest}`}>
        {check === undefined ? 'computing…' : <code>0x{check.digest}</code>}
      </Fact>
    </Facts>
  );
}

function BodyFacts({ update }: { update: DecodedUpdate }) {
  const { body } = update;
  const at = (name: string) => offsetOf(update, name);
  const root = `0x${bytesToHex(body.payload.root)}`;
  return (
    <Facts title="Body">
      <Fact name="Timestamp" offset={at('timestamp')} copied={String(body.timestamp)}>
        <Seconds seconds={BigInt(body.timestamp)} />
      </Fact>
      <Fact name="Nonce" offset={at('nonce')}>
        {body.nonce}
      </Fact>
      <Fact name="Emitter chain" offset={at('emitter chain')}>
        {body.emitterChain}
      </Fact>
      <Fact name="Emitter address" offset={at('emitter address')} copied={`0x${body.emitterAddress}`}>
        <code>0x{body.emitterAddress}</code>
      </Fact>
      <Fact name="Sequence" offset={at('sequence')} copied={String(body.sequence)}>
        {String(body.sequence)}
      </Fact>
      <Fact name="Consistency" offset={at('consistency level')}>
        {body.consistency}
      </Fact>
      <Fact name="Slot" offset={at('slot')} copied={String(body.payload.slot)}>
        {String(body.payload.slot)}
      </Fact>
      <Fact name="Ring size" offset={at('ring size')}>
        {body.payload.ringSize}
      </Fact>
      <Fact name="Merkle root" offset={at('root')} copied={root}>
        <code>{root}</code>
      </Fact>
    </Facts>
  );
}

/** Seconds as they stand, and the date that they are. */
export function Seconds({ seconds }: { seconds: bigint }) {
  const iso = secondsAsIso(seconds);
  return (
    <>
      {String(seconds)}
      {iso === undefined ? null : (
        <>
          {' '}
          <time dateTime={iso} className={classes.soft}>
            {iso}
          </time>
        </>
      )}
    </>
  );
}

/** Who signed, one row for each signature. */
export function PayloadSignatures({
  signatures,
  signers,
}: {
  signatures: readonly PayloadSignature[];
  signers: readonly SignerVerdict[] | undefined;
}) {
  if (signatures.length === 0) return <p className={classes.soft}>Nobody signed it.</p>;
  return (
    <div className={classes.scroll} {...SCROLLED_BY_KEYS}>
      <table className={classes.table} aria-label="Signatures">
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">Recovered signer</th>
            <th scope="col">r</th>
            <th scope="col">s</th>
            <th scope="col">Recovery</th>
            <th scope="col">Offset</th>
          </tr>
        </thead>
        <tbody>
          {signatures.map((signature, at) => (
            <SignatureRow key={signature.offset} signature={signature} signer={signers?.[at]} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Without a place for the focus, nobody could scroll it without a pointer. */
const SCROLLED_BY_KEYS = { tabIndex: 0 } as const;

function SignatureRow({
  signature,
  signer,
}: {
  signature: PayloadSignature;
  signer: SignerVerdict | undefined;
}) {
  return (
    <tr>
      <th scope="row">{signature.index}</th>
      <td>
        <Signer signer={signer} />
      </td>
      <td>
        <ShortHex bytes={signature.r} label={`Copy r of signer ${signature.index}`} />
      </td>
      <td>
        <ShortHex bytes={signature.s} label={`Copy s of signer ${signature.index}`} />
      </td>
      <td>{signature.recovery}</td>
      <td className={classes.soft}>{signature.offset}</td>
    </tr>
  );
}

function Signer({ signer }: { signer: SignerVerdict | undefined }) {
  if (signer === undefined) return <span className={classes.soft}>recovering…</span>;
  if (signer.kind === 'unrecoverable') {
    return (
      <span className={classes.verdict} data-tone="bad">
        <Icon name="cross" size={13} /> {signer.problem}
      </span>
    );
  }
  return (
    <span className={classes.copied}>
      <code>{signer.address}</code>
      <CopyButton value={signer.address} label="Copy signer address" />
    </span>
  );
}

function ShortHex({ bytes, label }: { bytes: Uint8Array; label: string }) {
  const hex = bytesToHex(bytes);
  return (
    <span className={classes.copied}>
      <code title={`0x${hex}`}>
        0x{hex.slice(0, 6)}…{hex.slice(-4)}
      </code>
      <CopyButton value={`0x${hex}`} label={label} />
    </span>
  );
}

import { ByteWriter } from './bytes';
import { CHANNEL_NUMBER, type Channel } from './router-channels';
import { type Format, PROPERTIES, type Property } from './router-request';
import type { MarketSession, RouterValues } from './router-values';
import type { RouterSigner } from './signers';

// First bytes of payload and envelopes, as in the public SDK of the router.
const PAYLOAD_MAGIC = 2_479_346_549;
const EVM_MAGIC = 706_910_618; // big-endian
const SOLANA_MAGIC = 2_182_742_457; // little-endian, as the next two
const LE_ECDSA_MAGIC = 1_296_547_300;
const LE_UNSIGNED_MAGIC = 1_499_680_012;

const SESSION_NUMBER: Readonly<Record<MarketSession, number>> = { regular: 0, closed: 4 };

type Value = bigint | number | MarketSession | undefined;

/** An integer behind a byte that says whether it is there. */
function optional(out: ByteWriter, value: Value, signed: boolean): void {
  if (typeof value !== 'bigint') out.u8(0);
  else if (signed) out.u8(1).i64(value);
  else out.u8(1).u64(value);
}

function writeProperty(out: ByteWriter, property: Property, value: Value): void {
  out.u8(PROPERTIES.indexOf(property));
  switch (property) {
    case 'publisherCount':
      out.u16(Number(value));
      return;
    case 'exponent':
      out.i16(Number(value));
      return;
    case 'marketSession':
      out.i16(value === 'closed' ? SESSION_NUMBER.closed : SESSION_NUMBER.regular);
      return;
    case 'fundingRate':
      optional(out, value, true);
      return;
    case 'fundingTimestamp':
    case 'fundingRateInterval':
    case 'feedUpdateTimestamp':
      optional(out, value, false);
      return;
    default:
      out.i64(typeof value === 'bigint' ? value : 0n);
  }
}

/** What a payload says, and in which order its properties were asked for. */
export type PayloadContent = {
  timestampUs: bigint;
  channel: Channel;
  properties: readonly Property[];
  feeds: readonly RouterValues[];
};

/**
 * The payload that is signed:
 * `magic u32 | timestamp u64 | channel u8 | feed count u8 | per feed: id u32 | property count u8 | per property: number u8, value`.
 */
function payloadBytes(content: PayloadContent, order: 'big' | 'little'): Buffer {
  const out = new ByteWriter(order).u32(PAYLOAD_MAGIC).u64(content.timestampUs);
  out.u8(CHANNEL_NUMBER[content.channel]).u8(content.feeds.length);
  for (const { routerId, values } of content.feeds) {
    out.u32(routerId).u8(content.properties.length);
    for (const property of content.properties) writeProperty(out, property, values.get(property));
  }
  return out.done();
}

/**
 * A signed payload in one format:
 * - `evm` (big-endian): `magic | r 32 | s 32 | recovery id u8 | length u16 | payload`
 * - `leEcdsa`: the same in little-endian
 * - `solana` (little-endian): `magic | ed25519 signature 64 | public key 32 | length u16 | payload`
 * - `leUnsigned`: `magic | length u16 | payload`
 *
 * secp256k1 signs keccak-256 of the payload, ed25519 the payload itself. Written after the public SDK; no
 * contract was asked whether it would accept these, since no contract knows the sandbox's keys.
 */
export function signedPayload(content: PayloadContent, format: Format, signer: RouterSigner): Buffer {
  const order = format === 'evm' ? 'big' : 'little';
  const payload = payloadBytes(content, order);
  const out = new ByteWriter(order);
  switch (format) {
    case 'evm':
    case 'leEcdsa': {
      const { r, s, recovery } = signer.signEcdsa(payload);
      out
        .u32(format === 'evm' ? EVM_MAGIC : LE_ECDSA_MAGIC)
        .raw(r)
        .raw(s)
        .u8(recovery);
      break;
    }
    case 'solana': {
      const { signature, publicKey } = signer.signEd25519(payload);
      out.u32(SOLANA_MAGIC).raw(signature).raw(publicKey);
      break;
    }
    case 'leUnsigned':
      out.u32(LE_UNSIGNED_MAGIC);
  }
  return out.u16(payload.length).raw(payload).done();
}

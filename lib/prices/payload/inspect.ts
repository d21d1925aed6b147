import { type FeedUpdate, readDeprecatedFeed, readUpdateBody } from '@/lib/core/feed';
import { failed, type Outcome, ok } from '@/lib/core/outcome';
import { type DecodedUpdate, decodeUpdate, type PayloadFault } from './decode';
import { LONGEST_PAYLOAD_TEXT, MOST_PAYLOAD_BYTES, readPayloadText, type TextPlace } from './text';

/** Text that holds no bytes, and where that shows. */
export type UnreadableText = {
  readonly kind: 'unreadable';
  readonly text: string;
  readonly problem: string;
  readonly place?: TextPlace;
};

/** One binary update: taken apart, or what is wrong with it. */
export type InspectedPayload =
  | { readonly kind: 'update'; readonly bytes: Uint8Array; readonly update: DecodedUpdate }
  | { readonly kind: 'fault'; readonly bytes: Uint8Array; readonly fault: PayloadFault }
  | UnreadableText;

/** All that was given: one payload, or an answer of the service with the parsed form beside its payloads. */
export type Inspection = {
  readonly payloads: readonly InspectedPayload[];
  /** Absent where there is no parsed form: bare payloads, `parsed=false`. */
  readonly parsed?: readonly FeedUpdate[];
  /** Elements of the parsed form that cannot be read. */
  readonly unreadableParsed: number;
  /** Payloads of the answer beyond those that are taken apart at once. */
  readonly leftOut: number;
};

/** An answer holds one payload for each slot; feeds that one call may ask for. */
const MOST_PAYLOADS = 100;

/** Takes bytes apart, as they are. */
export function inspectBytes(bytes: Uint8Array): InspectedPayload {
  if (bytes.length > MOST_PAYLOAD_BYTES) {
    const problem = `This is too large: ${bytes.length} bytes. At most 1 MiB is decoded here.`;
    return { kind: 'unreadable', text: '', problem };
  }
  const decoded = decodeUpdate(bytes);
  return decoded.kind === 'update'
    ? { kind: 'update', bytes, update: decoded }
    : { kind: 'fault', bytes, fault: decoded };
}

function inspectBlob(text: string): InspectedPayload {
  const read = readPayloadText(text);
  return read.kind === 'bytes' ? inspectBytes(read.bytes) : { ...read, text };
}

function alone(payload: InspectedPayload): Inspection {
  return { payloads: [payload], unreadableParsed: 0, leftOut: 0 };
}

type Blobs = { data: readonly string[]; parsed?: readonly FeedUpdate[]; unreadable: number };

function blobsOfAnswer(text: string): Outcome<Blobs> {
  const body = readUpdateBody(text);
  if (body.ok && body.value.binary !== undefined) {
    const { updates, unreadable, binary, parsedPresent } = body.value;
    const parsed = parsedPresent ? { parsed: updates } : {};
    return ok({ data: binary.data, ...parsed, unreadable: unreadable.length });
  }
  const feed = readDeprecatedFeed(text);
  if (feed.ok && feed.value.vaa !== undefined) {
    return ok({ data: [feed.value.vaa], parsed: [feed.value.update], unreadable: 0 });
  }
  return body.ok || feed.ok
    ? failed({ kind: 'malformed', detail: 'This answer holds no binary update.' })
    : failed(body.failure);
}

/** Takes the payloads of an answer apart: the update response body, or the one of the deprecated route. `malformed` when it holds none. */
export function inspectAnswer(text: string): Outcome<Inspection> {
  const blobs = blobsOfAnswer(text);
  if (!blobs.ok) return blobs;
  const { data, parsed, unreadable } = blobs.value;
  return ok({
    payloads: data.slice(0, MOST_PAYLOADS).map(inspectBlob),
    ...(parsed === undefined ? {} : { parsed }),
    unreadableParsed: unreadable,
    leftOut: Math.max(0, data.length - MOST_PAYLOADS),
  });
}

/** The JSON in a text, if that is what it was meant to be: an answer, an event of a stream, or a bare list of payloads. */
function jsonOf(text: string): string | undefined {
  const bare = text.slice(0, LONGEST_PAYLOAD_TEXT + 1).replace(/^\s*(?:data:)?\s*/, '');
  if (bare.startsWith('{')) return bare;
  return bare.startsWith('[') ? `{"binary":{"encoding":"","data":${bare}}}` : undefined;
}

/** Takes apart what was pasted: a payload as hex or base64, or a whole answer of the service as JSON. */
export function inspectText(text: string): Inspection {
  const json = text.length > LONGEST_PAYLOAD_TEXT ? undefined : jsonOf(text);
  if (json === undefined) return alone(inspectBlob(text));
  const answer = inspectAnswer(json);
  return answer.ok ? answer.value : alone({ kind: 'unreadable', text, problem: answer.failure.detail });
}

/** Takes apart what a file holds: the bytes of an update, or text of any of the kinds above. */
export function inspectFile(bytes: Uint8Array): Inspection {
  if (bytes.length > LONGEST_PAYLOAD_TEXT) return alone(inspectBytes(bytes));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    // No text begins like this that is not the update itself.
    return text.startsWith('PNAU\u0001') ? alone(inspectBytes(bytes)) : inspectText(text);
  } catch {
    return alone(inspectBytes(bytes));
  }
}

/** A node may answer anything: a value of another form becomes undefined, and nothing throws. */

export type Block = { number: bigint; timeMs: number };
/** `gasPrice` in wei. */
export type Receipt = {
  block: bigint;
  from?: string;
  isReverted: boolean;
  gasUsed?: bigint;
  gasPrice?: bigint;
  /** Fee in wei for the data on the layer below, which networks of the OP Stack add (their receipt's `l1Fee`). */
  l1Fee?: bigint;
};
/** A log entry of a node; its texts are hex with `0x`. */
export type EventLog = { topics: readonly string[]; data: string; block: bigint; tx: string };

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members)
    : undefined;
}

/** `0x` and at most 64 hex digits. A JSON number is refused, because it would have lost digits. */
export function readQuantity(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value) ? BigInt(value) : undefined;
}

/** Lower-case hex; undefined if a digit is missing. */
export function readBytes(value: unknown): `0x${string}` | undefined {
  if (typeof value !== 'string' || !/^0x(?:[0-9a-f]{2})*$/i.test(value)) return undefined;
  return value.toLowerCase() as `0x${string}`;
}

const readHash = (value: unknown) => {
  const bytes = readBytes(value);
  return bytes?.length === 66 ? bytes : undefined;
};
const readAddress = (value: unknown) => {
  const bytes = readBytes(value);
  return bytes?.length === 42 ? bytes : undefined;
};

/** The latest second of a JavaScript date (ECMA-262, 21.4.1.1). */
const MAX_SECONDS = 8_640_000_000_000n;

export function readBlock(value: unknown): Block | undefined {
  const { number, timestamp } = membersOf(value) ?? {};
  const block = readQuantity(number);
  const seconds = readQuantity(timestamp);
  if (block === undefined || seconds === undefined || seconds > MAX_SECONDS) return undefined;
  return { number: block, timeMs: Number(seconds) * 1000 };
}

/** A receipt without a status is from before Byzantium (EIP-658); no contract of ours is that old. */
export function readReceipt(value: unknown): Receipt | undefined {
  const { blockNumber, from, status, gasUsed, effectiveGasPrice, l1Fee } = membersOf(value) ?? {};
  const block = readQuantity(blockNumber);
  const state = readQuantity(status);
  if (block === undefined || (state !== 0n && state !== 1n)) return undefined;
  return {
    block,
    isReverted: state === 0n,
    ...memberOf('from', readAddress(from)),
    ...memberOf('gasUsed', readQuantity(gasUsed)),
    ...memberOf('gasPrice', readQuantity(effectiveGasPrice)),
    ...memberOf('l1Fee', readQuantity(l1Fee)),
  };
}

function memberOf<Name extends string, T>(name: Name, value: T | undefined): { [K in Name]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { [K in Name]?: T };
}

/** Limit of events: more can't be an answer to a query about one request. */
const MAX_EVENTS = 10_000;

/** Undefined if the value is not a list. Unreadable events, and those that a reorganisation removed, are left out. */
export function readEvents(value: unknown): EventLog[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.slice(0, MAX_EVENTS).flatMap((event: unknown): EventLog[] => {
    const { topics, data, blockNumber, transactionHash, removed } = membersOf(event) ?? {};
    const block = readQuantity(blockNumber);
    const tx = readHash(transactionHash);
    const bytes = readBytes(data);
    if (block === undefined || tx === undefined || bytes === undefined || removed === true) return [];
    const words = Array.isArray(topics) ? topics.slice(0, 4).map(readHash) : [];
    const isWhole = words.every((word) => word !== undefined);
    return isWhole ? [{ topics: words, data: bytes, block, tx }] : [];
  });
}

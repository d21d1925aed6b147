/** The three numbers of a request, as the service wrote them. */
export type RandomNumbers = {
  user: string | undefined;
  provider: string | null | undefined;
  combined: string | undefined;
};

/** What recomputing the random number says. `computed` is 64 hex digits without `0x`. */
export type RandomNumberVerdict =
  | { kind: 'verified'; computed: string }
  | { kind: 'mismatch'; computed: string }
  /** `missing`: not given; `malformed`: not 32 bytes of hex. Names the first of the three. */
  | { kind: 'uncheckable'; number: keyof RandomNumbers; problem: 'missing' | 'malformed' };

const ORDER = ['user', 'provider', 'combined'] as const;

/** 32 bytes of hex, `0x` optional, as 64 lower-case digits; undefined for anything else. */
export function wordDigits(text: string | null | undefined): string | undefined {
  return /^(?:0x)?([0-9a-f]{64})$/i.exec(text ?? '')?.[1]?.toLowerCase();
}

function bytesOfWord(digits: string): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/**
 * Checks that the random number is keccak256(user ‖ provider ‖ 32 zero bytes), as the contract makes it. The hash
 * function is loaded with the first question: pages that never ask do without it.
 */
export async function verifyRandomNumber(numbers: RandomNumbers): Promise<RandomNumberVerdict> {
  for (const number of ORDER) {
    const given = numbers[number];
    if (given === undefined || given === null || given === '') {
      return { kind: 'uncheckable', number, problem: 'missing' };
    }
    if (wordDigits(given) === undefined) return { kind: 'uncheckable', number, problem: 'malformed' };
  }
  const computed = await combined(wordDigits(numbers.user) ?? '', wordDigits(numbers.provider) ?? '');
  return { kind: computed === wordDigits(numbers.combined) ? 'verified' : 'mismatch', computed };
}

async function combined(user: string, provider: string): Promise<string> {
  const { keccak_256 } = await import('@noble/hashes/sha3.js');
  const preimage = new Uint8Array(96);
  preimage.set(bytesOfWord(user), 0);
  preimage.set(bytesOfWord(provider), 32);
  return [...keccak_256(preimage)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

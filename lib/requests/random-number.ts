type RandomNumbers = {
  user: string | undefined;
  provider: string | null | undefined;
  combined: string | undefined;
};

/** `computed` is 64 hex digits without `0x`. */
export type RandomNumberVerdict =
  | { kind: 'verified'; computed: string }
  | { kind: 'mismatch'; computed: string }
  /** `number` is the first that prevents the check; `malformed`: not 32 bytes of hex. */
  | { kind: 'uncheckable'; number: keyof RandomNumbers; problem: 'missing' | 'malformed' };

const ORDER = ['user', 'provider', 'combined'] as const;

/** 32 bytes of hex, with or without `0x`, as 64 lower-case digits. */
export function wordDigits(text: string | null | undefined): string | undefined {
  return /^(?:0x)?([0-9a-f]{64})$/i.exec(text ?? '')?.[1]?.toLowerCase();
}

/** Expects keccak256(user ‖ provider ‖ 32 zero bytes). The hash function is loaded on demand. */
export async function verifyRandomNumber(numbers: RandomNumbers): Promise<RandomNumberVerdict> {
  for (const number of ORDER) {
    const problem = numbers[number] ? 'malformed' : 'missing';
    if (wordDigits(numbers[number]) === undefined) return { kind: 'uncheckable', number, problem };
  }
  const [user, provider, combined] = ORDER.map((number) => wordDigits(numbers[number]));
  const [{ keccak_256 }, { bytesToHex, hexToBytes }] = await Promise.all([
    import('@noble/hashes/sha3.js'),
    import('@noble/hashes/utils.js'),
  ]);
  const computed = bytesToHex(keccak_256(hexToBytes(`${user}${provider}${'0'.repeat(64)}`)));
  return { kind: computed === combined ? 'verified' : 'mismatch', computed };
}

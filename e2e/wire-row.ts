export const PROVIDER = `0x${'52'.repeat(20)}`;
export const SENDER = `0x${'cd'.repeat(20)}`;
export const TX = `0x${'ab'.repeat(32)}`;

export const secondsAgo = (seconds: number) => `"${new Date(Date.now() - seconds * 1000).toISOString()}"`;

/** Raw JSON of a deployed service; a pending request by default. */
export function wireRow(members: Record<string, string> = {}): string {
  const all = {
    chain_id: '"base"',
    network_id: '8453',
    provider: `"${PROVIDER}"`,
    sequence: '77000001',
    created_at: secondsAgo(60),
    last_updated_at: secondsAgo(50),
    request_block_number: '34000000',
    request_tx_hash: `"${TX}"`,
    gas_limit: '500000',
    user_random_number: `"${'11'.repeat(32)}"`,
    sender: `"${SENDER}"`,
    state: '{"state":"pending"}',
    ...members,
  };
  const texts = Object.entries(all).map(([name, value]) => `"${name}":${value}`);
  return `{${texts.join(',')}}`;
}

import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logsCallAsCurl } from './log-query';

describe('the call as curl', () => {
  it('has placeholders for the address and the key', () => {
    expect(logsCallAsCurl(new URLSearchParams({ network_id: '8453', query: '17' }))).toBe(
      'curl -H "Authorization: Bearer $LOGS_API_KEY" "$LOGS_URL/v1/logs?network_id=8453&query=17"',
    );
    expect(logsCallAsCurl(new URLSearchParams())).toMatch(/"\$LOGS_URL\/v1\/logs"$/);
  });

  it('leaves nothing of a query that a shell would act on', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (name, value) => {
        const command = logsCallAsCurl(new URLSearchParams([[name, value]]));
        expect(command).toMatch(/"\$LOGS_URL\/v1\/logs\?[\w.*+%=&-]*"$/);
      }),
    );
  });

  it('comes out of a shell as it went in', () => {
    const query = new URLSearchParams({ query: '"; $(id) `id` \\ !! \'\n' });
    const script = logsCallAsCurl(query).replace(/^curl/, 'printf "%s\\n"');
    const env = { ...process.env, LOGS_URL: 'https://logs.example', LOGS_API_KEY: 'k' };
    const said = execFileSync('sh', ['-c', script], { env, encoding: 'utf8' });
    expect(said).toBe(`-H\nAuthorization: Bearer k\nhttps://logs.example/v1/logs?${query}\n`);
  });
});

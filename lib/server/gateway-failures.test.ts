import { describe, expect, it } from 'vitest';
import { problemAt, withFakeService } from './gateway-harness';
import { currentHealth } from './service-report';

const service = withFakeService();

describe('failures of the service', () => {
  const fails = (status: number, body: string, headers: Record<string, string> = {}) => {
    service.answer = (res) => res.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body);
  };

  it.each([
    [400, 'The chain id is not supported', 'rejected', 400],
    [422, 'no', 'rejected', 400],
    [404, 'Price ids not found: 0xab', 'missing', 404],
    [401, 'hush-logs is wrong', 'unauthorized', 502],
    [403, 'no', 'unauthorized', 502],
    [500, 'stack', 'failing', 502],
    [503, 'This service is temporarily unavailable', 'failing', 502],
    [302, '', 'malformed', 502],
    [200, '<html></html>', 'malformed', 502],
    [200, '', 'malformed', 502],
    [200, 'null', 'malformed', 502],
    [200, '[]', 'malformed', 502],
    [200, '{"requests":[', 'malformed', 502],
  ])('%i %s becomes %s', async (status, body, kind, ours) => {
    fails(status, body);
    const refused = await problemAt('/api/logs/v1/logs');
    expect(refused).toMatchObject({ kind, status: ours, service: 'logs' });
    if (kind === 'rejected' || kind === 'missing') expect(refused.detail).toContain(body);
    expect(refused.headers.get('cache-control')).toBe('no-store');
  });

  it('429 is obeyed for everybody, with the time that is left', async () => {
    fails(429, 'slow down', { 'retry-after': '7' });
    const first = await problemAt('/api/logs/v1/logs');
    expect(first).toMatchObject({ kind: 'rate-limited', status: 503, retryAfterS: 7 });
    expect(first.headers.get('retry-after')).toBe('7');
    expect(await problemAt('/api/logs/v1/logs?limit=5')).toMatchObject({ kind: 'rate-limited' });
    expect(service.calls).toHaveLength(1);
    expect((await problemAt('/api/logs/v1/logs?keeper=test')).kind).toBe('rate-limited');
    expect(service.calls).toHaveLength(2);
  });

  it('no connection is unreachable', async () => {
    service.answer = (res) => res.destroy();
    expect(await problemAt('/api/logs/v1/logs')).toMatchObject({ kind: 'unreachable', status: 502 });
    expect(currentHealth().services['logs:main']).toMatchObject({
      configured: true,
      ok: false,
      kind: 'unreachable',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { HASH, PROVIDER, rowText } from '@/lib/domain/log-row-fixture';
import { type Failure, failed, type Outcome, ok } from '@/lib/domain/outcome';
import { keepersAsked, lookUpRequest, pickRequest } from './request-lookup';

const ASKED = { networkId: '42161', sequence: '17', keepers: [] };
const row = (change: Record<string, string> = {}) => rowText({ sequence: '17', ...change });
const listOf = (...rows: string[]) => ok(`{"requests":[${rows.join(',')}],"total_results":${rows.length}}`);
const FAILING: Failure = { kind: 'failing', service: 'logs', detail: 'overloaded' };
const OTHER = `0x${'52'.repeat(20)}`;

const lookAt = (answers: Record<string, Outcome<string>>, asked = ASKED) =>
  lookUpRequest(
    asked,
    Object.keys(answers),
    1000,
    async (query) => answers[query.get('keeper') ?? ''] ?? failed(FAILING),
  );

describe('looking a request up', () => {
  it('asks every keeper once, by number and network', async () => {
    const queries: string[] = [];
    await lookUpRequest(ASKED, ['main', 'test'], 0, async (query) => {
      queries.push(query.toString());
      return listOf();
    });
    expect(queries).toEqual([
      'network_id=42161&query=17&limit=100&keeper=main',
      'network_id=42161&query=17&limit=100&keeper=test',
    ]);
    expect(keepersAsked(ASKED, ['main', 'test'])).toEqual(['main']);
    expect(keepersAsked(ASKED, [])).toEqual(['']);
    expect(keepersAsked({ ...ASKED, keepers: ['test'] }, ['main', 'test'])).toEqual(['test']);
  });

  it('finds the one request of the number, whatever else is listed', async () => {
    const others = [row({ network_id: '"1"' }), row({ sequence: '18' })];
    const look = await lookAt({ main: listOf(...others, row()) });
    expect(pickRequest(look, ASKED)).toMatchObject({
      kind: 'one',
      choice: { row: { sequence: '17', keeper: 'main' }, olderVersions: [] },
    });
  });

  it('tells several under one number apart, and picks the one that is asked for, in any case', async () => {
    const look = await lookAt({ main: listOf(row(), row({ provider: JSON.stringify(OTHER) })) });
    expect(pickRequest(look, ASKED)).toMatchObject({ kind: 'several', fit: 'asked', choices: [{}, {}] });
    const picked = pickRequest(look, { ...ASKED, provider: OTHER.toUpperCase(), tx: HASH.toLowerCase() });
    expect(picked).toMatchObject({ kind: 'one', choice: { row: { provider: OTHER } }, choices: [{}, {}] });
    expect(pickRequest(look, { ...ASKED, provider: '0x01' })).toMatchObject({
      kind: 'several',
      fit: 'other',
    });
  });

  it('tells the same request at two keepers apart', async () => {
    const look = await lookAt({ main: listOf(row()), test: listOf(row()) });
    expect(pickRequest(look, ASKED)).toMatchObject({
      choices: [{ row: { keeper: 'main' } }, { row: { keeper: 'test' } }],
    });
  });

  it('shows the latest of a request that is listed twice, and keeps the other', async () => {
    const later = row({ last_updated_at: '"2026-11-20T09:00:00Z"', state: '{"state":"failed"}' });
    const look = await lookAt({ main: listOf(row(), later, row()) });
    expect(pickRequest(look, { ...ASKED, provider: PROVIDER })).toMatchObject({
      kind: 'one',
      choice: { row: { state: { kind: 'failed' } }, olderVersions: [{ state: { kind: 'pending' } }] },
    });
  });

  it('shows the finished one of two versions without an update, in whatever order they come', async () => {
    const none = { last_updated_at: 'null' };
    const versions = [
      row({ ...none, state: '{"state":"pending"}' }),
      row({ ...none, state: '{"state":"failed"}' }),
    ];
    for (const rows of [versions, versions.toReversed()]) {
      expect(pickRequest(await lookAt({ main: listOf(...rows) }), ASKED)).toMatchObject({
        choice: { row: { state: { kind: 'failed' } }, olderVersions: [{ state: { kind: 'pending' } }] },
      });
    }
  });

  it('finds nothing, which is not a failure, and keeps rows that can’t be read', async () => {
    const look = await lookAt({ main: listOf('{"sequence":[]}') });
    expect(look).toMatchObject({ rows: [], troubles: [], unreadable: [{ kind: 'unreadable' }] });
    expect(pickRequest(look, ASKED)).toEqual({ kind: 'none' });
  });

  it('says which keepers fail and which do not serve the network', async () => {
    const unserved = failed({ kind: 'rejected', detail: 'The chain id is not supported' });
    const look = await lookAt({ main: failed(FAILING), test: unserved });
    expect(look.troubles).toEqual([{ keeper: 'main', failure: FAILING, attempts: 1 }]);
    expect(look.unserved).toEqual(['test']);
    expect(await lookAt({ main: ok('not json') })).toMatchObject({
      troubles: [{ failure: { kind: 'malformed' } }],
    });
  });

  it('keeps what it had found of a keeper that fails, and since when', async () => {
    const found = await lookAt({ main: listOf(row()) });
    const again = (before: typeof found) =>
      lookUpRequest(ASKED, ['main'], before.atMs + 1000, async () => failed(FAILING), before);
    const second = await again(await again(found));
    expect(second.rows).toEqual(found.rows);
    expect(second.troubles).toEqual([{ keeper: 'main', failure: FAILING, attempts: 2, rowsOfMs: 1000 }]);
  });
});

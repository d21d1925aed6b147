import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import { FakeLog, type FakeRow, fakeRowText } from './export-fakes';
import { RowMemory } from './export-memory';
import { MergedWalk } from './export-merge';
import { type Ask, PartWalk } from './export-walk';
import type { LogFilter } from './log-source';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const AT_ONCE: Ask = (call) => call();
const NEVER = new AbortController().signal;

/** Rows out of few moments, so that many share one. */
const someRows = (spanMs: number) =>
  fc
    .array(
      fc.record({
        ms: fc.integer({ min: 0, max: spanMs }).map((back) => NOW - back),
        network: fc.constantFrom('1', '10'),
        state: fc.constantFrom('Pending', 'Failed', 'Completed', 'CallbackErrored'),
      }),
      { maxLength: 80, size: 'max' },
    )
    .map((rows) => rows.map((row, sequence): FakeRow => ({ ...row, sequence })));

function mostAtOneMoment(rows: readonly FakeRow[]): number {
  const counts = new Map<number, number>();
  for (const { ms } of rows) counts.set(ms, (counts.get(ms) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

function walkOf(log: FakeLog, filters: LogFilter[], limit: number): MergedWalk {
  const share = new RowMemory().share();
  const walks = filters.map((filter) => new PartWalk({ source: log, filter }, limit, share));
  return new MergedWalk(walks, share);
}

async function sequencesOf(walk: MergedWalk, most = 7): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const next = await walk.next(most, AT_ONCE, NEVER);
    if (!next.ok) throw new Error(next.failure.detail);
    if (next.value.length === 0) return found;
    for (const { row } of next.value) found.push(row.kind === 'record' ? Number(row.sequence) : -1);
  }
}

const sequences = (rows: readonly FakeRow[]) => rows.map(({ sequence }) => sequence);

describe('a walk through a list that stands still', () => {
  it('gives the list, whatever the page size and however many rows share a moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows(12),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 20 }),
        async (rows, limit, most) => {
          const log = new FakeLog();
          log.rows = rows;
          expect(await sequencesOf(walkOf(log, [{}], limit), most)).toEqual(sequences(log.matching({})));
        },
      ),
    );
  });

  it('gives it also where the service writes whole seconds only', async () => {
    await fc.assert(
      fc.asyncProperty(someRows(4000), fc.integer({ min: 2, max: 9 }), async (rows, limit) => {
        const log = new FakeLog();
        log.rows = rows;
        log.written = (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
        const found = await sequencesOf(walkOf(log, [{}], limit));
        expect([...found].sort((a, b) => a - b)).toEqual(sequences(rows));
      }),
    );
  });

  it('merges networks and states by time, of one moment in the order of the parts', async () => {
    await fc.assert(
      fc.asyncProperty(someRows(12), fc.integer({ min: 2, max: 9 }), async (rows, limit) => {
        const log = new FakeLog();
        log.rows = rows;
        const filters = ['1', '10'].flatMap((networkId) =>
          ['Completed', 'Pending'].map((state) => ({ networkId, state })),
        );
        const wanted = filters
          .flatMap((filter, part) => log.matching(filter).map((row) => ({ row, part })))
          .sort((a, b) => b.row.ms - a.row.ms || a.part - b.part);
        expect(await sequencesOf(walkOf(log, filters, limit))).toEqual(wanted.map(({ row }) => row.sequence));
      }),
    );
  });
});

const NEXT_STATE: Record<string, string[]> = {
  Pending: ['Failed', 'Completed', 'CallbackErrored'],
  Failed: ['Completed'],
};

describe('a walk through a list that moves', () => {
  it('gives each row of a state that stayed once, and none twice, while others leave and new ones come', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows(12),
        fc.integer({ min: 3, max: 9 }),
        fc.infiniteStream(fc.nat(79)),
        async (rows, limit, dice) => {
          const log = new FakeLog();
          log.rows = rows.map((row) => ({ ...row }));
          const left = new Set<number>();
          log.beforeAnswer = () => {
            const row = log.rows[dice.next().value ?? 0];
            if (row?.state === 'Pending') {
              row.state = 'Completed';
              left.add(row.sequence);
            }
            log.rows.push({ sequence: 1000 + log.rows.length, ms: NOW + 50, network: '1', state: 'Pending' });
          };
          const asof = new Date(NOW).toISOString();
          const found = await sequencesOf(walkOf(log, [{ state: 'Pending', max: asof }], limit));
          expect(new Set(found).size).toBe(found.length);
          const pending = rows.filter(({ state }) => state === 'Pending').map(({ sequence }) => sequence);
          expect(found.filter((one) => !pending.includes(one))).toEqual([]);
          expect(pending.filter((one) => !left.has(one) && !found.includes(one))).toEqual([]);
        },
      ),
    );
  });

  it('gives every row of all states once although rows go from state to state between the answers', async () => {
    await fc.assert(
      fc.asyncProperty(
        someRows(40),
        fc.integer({ min: 3, max: 9 }),
        fc.infiniteStream(fc.tuple(fc.nat(79), fc.nat(2))),
        fc.shuffledSubarray(['Pending', 'Failed', 'Completed', 'CallbackErrored'], { minLength: 4 }),
        async (rows, limit, dice, order) => {
          // Where more rows share a moment than fit on a page, one that changes its state may be missed: docs/export.md.
          fc.pre(mostAtOneMoment(rows) < limit);
          const log = new FakeLog();
          log.rows = rows.map((row) => ({ ...row }));
          log.beforeAnswer = () => {
            for (let moves = 0; moves < 3; moves++) {
              const [at, to] = dice.next().value ?? [0, 0];
              const row = log.rows[at % log.rows.length];
              const next = NEXT_STATE[row?.state ?? ''];
              if (row && next) row.state = next[to % next.length] ?? row.state;
            }
          };
          const found = await sequencesOf(
            walkOf(
              log,
              order.map((state) => ({ state })),
              limit,
            ),
          );
          expect([...found].sort((a, b) => a - b)).toEqual(sequences(rows));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('counts the rows of each keeper and network', async () => {
    const log = new FakeLog();
    log.rows = [1, 2, 3].map((sequence) => ({ sequence, ms: NOW, network: '1', state: 'Pending' }));
    const walk = walkOf(log, [{ networkId: '1' }, { networkId: '10' }], 2);
    await sequencesOf(walk);
    expect([...walk.written]).toEqual([['main/1', 3]]);
    expect(walk.walks.map(({ expected }) => expected)).toEqual(['3', '0']);
  });
});

describe('an odd service', () => {
  const twentyRows = (stateOf: (sequence: number) => string): FakeRow[] =>
    Array.from({ length: 20 }, (_, sequence) => {
      return { sequence, ms: NOW - sequence * 10, network: '1', state: stateOf(sequence) };
    });

  it('that puts the same rows in front of every answer gives each of them once', async () => {
    const log = new FakeLog();
    log.rows = twentyRows(() => 'Pending');
    log.odd = ['null', '{"sequence":1}', 'null'];
    const found = await sequencesOf(walkOf(log, [{}], 6));
    expect(found).toEqual([-1, -1, -1, ...sequences(log.rows)]);
  });

  it('whose newest rows all can’t be read takes nothing from the older ones', async () => {
    const log = new FakeLog();
    log.rows = twentyRows((sequence) => (sequence % 2 === 0 ? 'Pending' : 'Completed'));
    log.odd = Array.from({ length: 9 }, (_, at) => `{"sequence":${at}}`);
    const walk = walkOf(log, [{ state: 'Pending' }, { state: 'Completed' }], 4);
    const found = await sequencesOf(walk);
    expect(found.filter((sequence) => sequence >= 0)).toEqual(sequences(log.rows));
  });

  it('that does not heed the offset within one moment ends in a failure, not in an endless walk', async () => {
    const log = new FakeLog();
    log.rows = Array.from({ length: 20 }, (_, sequence) => ({
      sequence,
      ms: NOW,
      network: '1',
      state: 'Pending',
    }));
    const source = {
      keeper: 'main',
      count: log.count.bind(log),
      page: (filter: LogFilter, limit: number) => log.page(filter, limit, 0),
    };
    const share = new RowMemory().share();
    const walk = new MergedWalk([new PartWalk({ source, filter: {} }, 5, share)], share);
    let outcome: Outcome<unknown[]>;
    do outcome = await walk.next(10, AT_ONCE, NEVER);
    while (outcome.ok && outcome.value.length > 0);
    expect(outcome).toMatchObject({ ok: false, failure: { kind: 'malformed' } });
  });

  it('that does not serve a network has no rows of it, and that is no failure', async () => {
    const log = new FakeLog();
    log.failWith = () => failed({ kind: 'rejected', detail: 'The chain id is not supported' });
    const walk = walkOf(log, [{ networkId: '5' }], 5);
    expect(await sequencesOf(walk)).toEqual([]);
    expect(walk.walks[0]?.served).toBe('no');
  });
});

describe('a service that never comes to an end', () => {
  it('is given up when it has more rows of one moment than can be told apart', async () => {
    const row = { kind: 'record', createdAt: { text: new Date(NOW).toISOString(), ms: NOW } } as ListedRow;
    const log = new FakeLog();
    log.page = async (_, limit, offset) => {
      const rows = Array.from({ length: limit }, (__, at) => ({ ...row, key: `main/1//${offset + at}/` }));
      return ok({ rows, total: '99999999999' });
    };
    const walk = walkOf(log, [{}], 1000);
    let taken = 0;
    for (;;) {
      const next = await walk.next(1000, AT_ONCE, NEVER);
      if (!next.ok) {
        expect(next.failure).toMatchObject({ kind: 'malformed' });
        break;
      }
      taken += next.value.length;
      if (taken > 400_000) throw new Error('It goes on.');
    }
    expect(taken).toBe(300_000);
  });

  it('is remembered by little, however large its rows are', async () => {
    const log = new FakeLog();
    log.odd = [
      fakeRowText({ sequence: 1, ms: NOW, network: '1', state: 'Pending' }).replace(
        '0xaa',
        'x'.repeat(50_000),
      ),
    ];
    log.rows = [{ sequence: 2, ms: NOW, network: '1', state: 'Pending' }];
    const walk = new PartWalk({ source: log, filter: {} }, 10, new RowMemory().share());
    await walk.fill(AT_ONCE);
    expect([walk.take().identity, walk.take().identity].map(({ length }) => length)).toEqual([22, 22]);
  });

  it('is told apart by every character, halves of pairs too', async () => {
    const withKey = (mark: string) =>
      fakeRowText({ sequence: 1, ms: NOW, network: '1', state: 'Pending' }).replace('0xaa', mark);
    const log = new FakeLog();
    log.odd = [withKey('\\ud800'), withKey('\\ud801'), withKey('\\ufffd')];
    // Two to a page: the same identities would be told apart on one page, and no more on the next.
    expect(await sequencesOf(walkOf(log, [{}], 2))).toEqual([1, 1, 1]);
  });
});

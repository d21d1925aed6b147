import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOne, rowText } from '@/lib/domain/log-row-fixture';
import { failed, type Outcome, ok } from '@/lib/domain/outcome';
import {
  inTurn,
  neighbourNumbers,
  neighboursAt,
  readListed,
  requestsOfSender,
  requestsOfTransaction,
} from './related-requests';

const SENDER = `0x${'11'.repeat(20)}`;
const { signal } = new AbortController();
const list = (rows: string[], total: number) => `{"requests":[${rows.join(',')}],"total_results":${total}}`;

/** Answers with this text, and tells what was asked. */
function asking(answer: Outcome<string>) {
  const queries: string[] = [];
  const ask = async (query: URLSearchParams) => {
    queries.push(query.toString());
    return answer;
  };
  return { ask, queries };
}

describe('related requests', () => {
  it('of a sender are ten of the same keeper, and the count is that of the service', async () => {
    const stranger = rowText({ sequence: '2', sender: JSON.stringify(`0x${'22'.repeat(20)}`) });
    const { ask, queries } = asking(ok(list([rowText({ sequence: '1' }), stranger], 1234)));
    const found = await requestsOfSender(SENDER.toUpperCase().replace('X', 'x'), 'test', ask, signal);
    expect(queries).toEqual([`query=0x${'11'.repeat(20)}&limit=10&keeper=test`]);
    expect(found).toMatchObject({ ok: true, value: { total: '1234' } });
    expect(found.ok && found.value.rows.map(({ sequence, key }) => [sequence, key.split('/')[0]])).toEqual([
      ['1', 'test'],
    ]);
  });

  it('of a transaction were made or revealed in it', async () => {
    const hash = `0x${'ee'.repeat(32)}`;
    const rows = [
      rowText({ sequence: '1', request_tx_hash: JSON.stringify(hash.toUpperCase().replace('X', 'x')) }),
      rowText({ sequence: '2', state: `{"state":"completed","reveal_tx_hash":"${hash}"}` }),
      rowText({ sequence: '3' }),
    ];
    const { ask } = asking(ok(list(rows, 3)));
    const found = await requestsOfTransaction(hash, 'main', ask, signal);
    expect(found.ok && found.value.rows.map(({ sequence }) => sequence)).toEqual(['1', '2']);
  });

  it('pass a failure on, and a list that can’t be read is one', async () => {
    const failure = { kind: 'failing', detail: 'no' } as const;
    expect(await requestsOfSender(SENDER, 'main', asking(failed(failure)).ask, signal)).toEqual({
      ok: false,
      failure,
    });
    expect(await requestsOfSender(SENDER, 'main', asking(ok('[]')).ask, signal)).toMatchObject({
      failure: { kind: 'malformed' },
    });
  });
});

describe('neighbours by sequence', () => {
  it('are three before and three after, none below 0 or above a u64', () => {
    expect(neighbourNumbers('17')).toEqual(['14', '15', '16', '18', '19', '20']);
    expect(neighbourNumbers('1')).toEqual(['0', '2', '3', '4']);
    expect(neighbourNumbers('18446744073709551615')).toEqual([
      '18446744073709551612',
      '18446744073709551613',
      '18446744073709551614',
    ]);
    expect(neighbourNumbers('-4')).toEqual([]);
  });

  it('never hold the number itself', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String), (number) => {
        expect(neighbourNumbers(number)).not.toContain(number);
      }),
    );
  });

  it('are of the same network and provider', async () => {
    const record = { ...readOne({ sequence: '9' }), keeper: 'main' };
    const rows = [
      rowText({ sequence: '10' }),
      rowText({ sequence: '10', network_id: '"1"' }),
      rowText({ sequence: '10', provider: '"0x01"' }),
      rowText({ sequence: '11' }),
    ];
    const { ask, queries } = asking(ok(list(rows, 4)));
    const found = await neighboursAt('10', record, ask, signal);
    expect(found.ok && found.value.rows).toHaveLength(1);
    expect(queries).toEqual(['query=10&network_id=42161&limit=20&keeper=main']);
  });
});

describe('a listed page', () => {
  it('has the keeper in front of every key, also of rows that can’t be read', () => {
    const page = readListed(list([rowText(), '{}'], 2), 'main');
    expect(page.ok && page.value.rows.map(({ key }) => key.startsWith('main/'))).toEqual([true, true]);
  });
});

describe('work in turn', () => {
  /** Work that ends when it is told to. */
  function openWork() {
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let started = false;
    const work = () => {
      started = true;
      return ended;
    };
    return { work, end, isStarted: () => started };
  }

  /** Until all that can go on has gone on. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('runs at most so many at once, and the others after them', async () => {
    const turn = inTurn(2);
    const works = [openWork(), openWork(), openWork()];
    const done = works.map(({ work }) => turn(signal, work));
    await settled();
    expect(works.map((work) => work.isStarted())).toEqual([true, true, false]);
    works[0]?.end();
    await settled();
    expect(works[2]?.isStarted()).toBe(true);
    for (const { end } of works) end();
    await Promise.all(done);
  });

  it('leaves the line when it is aborted, and gives its place back when it fails', async () => {
    const turn = inTurn(1);
    const [first, last] = [openWork(), openWork()];
    const running = turn(signal, first.work);
    const aborting = new AbortController();
    const waiting = turn(aborting.signal, async () => 'never');
    aborting.abort();
    await expect(waiting).rejects.toThrow('aborted');
    const failing = turn(signal, () => Promise.reject(new Error('broken')));
    const after = turn(signal, last.work);
    first.end();
    await running;
    await expect(failing).rejects.toThrow('broken');
    await settled();
    expect(last.isStarted()).toBe(true);
    last.end();
    await after;
  });
});

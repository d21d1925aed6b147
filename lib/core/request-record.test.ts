import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOne, readPage, rowText, stateOf } from './log-row-fixture';
import { isReadableRow, readLogPage, requestDuration, stateWord, WIRE_STATE } from './request-record';

describe('the state of a row', () => {
  it('keeps every figure of a completed request', () => {
    const json = `{"state":"completed","reveal_block_number":9007199254740993,"reveal_tx_hash":"0xaa",
      "provider_random_number":"bb","gas_used":"21000","combined_random_number":"cc","callback_failed":true,
      "callback_return_value":"0x","callback_gas_used":18446744073709551615}`;
    expect(stateOf(json)).toEqual({
      kind: 'completed',
      callback: 'failed',
      revealBlock: '9007199254740993',
      revealTxHash: '0xaa',
      providerRandomNumber: 'bb',
      gasUsed: '21000',
      combinedRandomNumber: 'cc',
      callbackReturnValue: '0x',
      callbackGasUsed: '18446744073709551615',
    });
  });

  it('knows a callback only when told', () => {
    expect(stateOf('{"state":"completed","callback_failed":false}')).toEqual({
      kind: 'completed',
      callback: 'ok',
    });
    expect(stateOf('{"state":"completed"}')).toEqual({ kind: 'completed', callback: 'unknown' });
    expect(stateOf('{"state":"completed","callback_failed":"true"}')).toEqual({
      kind: 'completed',
      callback: 'unknown',
    });
  });

  it('keeps the null of a failed request, and its absence', () => {
    expect(
      stateOf('{"state":"failed","reason":"Reverted: 0x1c26714c","provider_random_number":null}'),
    ).toEqual({
      kind: 'failed',
      reason: 'Reverted: 0x1c26714c',
      providerRandomNumber: null,
    });
    expect(stateOf('{"state":"failed"}')).toEqual({ kind: 'failed' });
  });

  it.each([
    ['{"state":"revealing"}', 'revealing'],
    ['{"state":"Pending"}', 'Pending'],
    ['{"state":""}', '""'],
    ['{"state":null}', 'null'],
    ['{"state":7}', '7'],
    ['{}', 'missing'],
    ['null', 'null'],
    ['[1]', '[1]'],
    ['"pending"', '"pending"'],
  ])('takes %s for unknown, under its wire name', (json, wireName) => {
    expect(stateOf(json)).toEqual({ kind: 'unknown', wireName });
  });

  it('keeps the members of an unknown state', () => {
    expect(readOne({ state: '{"state":"queued","position":18446744073709551615}' }).extra).toEqual({
      'state.position': '18446744073709551615',
    });
  });
});

describe('isReadableRow', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>(
      '42161',
      42161,
      '-1',
      -0,
      0,
      1e21,
      1.5,
      '2026-11-20T08:05:03Z',
      '2026-02-30',
      null,
    ),
    fc.integer(),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  );
  const anyRow = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { network_id: odd, sequence: odd, created_at: odd, state: odd, gas_limit: odd, provider: odd },
      { requiredKeys: [] },
    ),
    fc.record({
      network_id: fc.oneof(fc.nat(), odd),
      sequence: fc.oneof(fc.nat(), odd),
      created_at: fc.oneof(fc.constant('2026-11-20T08:05:03'), odd),
      state: odd,
    }),
  );

  it('agrees with readLogPage on any row', () => {
    fc.assert(
      fc.property(anyRow, (row) => {
        const text = JSON.stringify(row);
        const [read] = readPage([text]).rows;
        expect(isReadableRow(JSON.parse(text))).toBe(read?.kind === 'record');
      }),
      { numRuns: 1000 },
    );
  });

  it('agrees on integers beyond what JSON.parse can hold', () => {
    expect(isReadableRow(JSON.parse(rowText()))).toBe(true);
    expect(isReadableRow(JSON.parse(rowText({ sequence: '1e400' })))).toBe(false);
    expect(readPage([rowText({ sequence: '1e400' })]).rows[0]?.kind).toBe('unreadable');
  });
});

describe('stateWord', () => {
  it('has a word for each state that is known, and the wire name for others', () => {
    expect(stateWord({ kind: 'pending' })).toBe('pending');
    expect(stateWord({ kind: 'failed' })).toBe('failed');
    expect(stateWord({ kind: 'completed', callback: 'ok' })).toBe('completed');
    expect(stateWord({ kind: 'completed', callback: 'unknown' })).toBe('completed');
    expect(stateWord({ kind: 'completed', callback: 'failed' })).toBe('callback-failed');
    expect(stateWord({ kind: 'unknown', wireName: 'revealing' })).toBe('revealing');
  });

  it('does not let a wire name pass for one of our words', () => {
    for (const word of Object.keys(WIRE_STATE)) {
      expect(stateWord({ kind: 'unknown', wireName: word })).toBe(`"${word}"`);
    }
  });
});

describe('requestDuration', () => {
  const at = (ms: number) => ({ text: new Date(ms).toISOString(), ms });

  it('is the age of a pending or unknown request', () => {
    for (const state of [{ kind: 'pending' } as const, { kind: 'unknown', wireName: 'x' } as const]) {
      expect(requestDuration({ state, createdAt: at(1000), updatedAt: at(2000) }, 5000)).toEqual({
        kind: 'age',
        ms: 4000,
      });
    }
  });

  it('is the time from creation to the last update of a finished one', () => {
    const state = { kind: 'failed' } as const;
    const duration = requestDuration({ state, createdAt: at(1000), updatedAt: at(2500) }, 99_000);
    expect(duration).toEqual({ kind: 'duration', ms: 1500 });
    expect(requestDuration({ state, createdAt: at(1000) }, 99_000)).toBeUndefined();
  });

  it('is never negative', () => {
    const created = at(600_000);
    expect(requestDuration({ state: { kind: 'pending' }, createdAt: created }, 0)).toEqual({
      kind: 'age',
      ms: 0,
    });
    expect(requestDuration({ state: { kind: 'failed' }, createdAt: created, updatedAt: at(0) }, 0)).toEqual({
      kind: 'duration',
      ms: 0,
    });
  });
});

describe('the count of a log list', () => {
  const totalOf = (total: string) => {
    const page = readLogPage(`{"requests":[],"total_results":${total}}`);
    return page.ok ? page.value.total : page;
  };

  it('comes as a number or as text', () => {
    expect(totalOf('7')).toBe('7');
    expect(totalOf('"18446744073709551615"')).toBe('18446744073709551615');
  });

  it('is not known where no count is so large, or negative', () => {
    for (const total of [`"${'9'.repeat(21)}"`, `"${'9'.repeat(100_000)}"`, '1e300', '-1', 'null']) {
      expect(totalOf(total)).toBeUndefined();
    }
  });
});

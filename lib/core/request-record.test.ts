import { describe, expect, it } from 'vitest';
import { HASH, PROVIDER, readPage, recordWith, rowText, stateOf } from './log-row-fixture';
import {
  isReadableRow,
  openLogPage,
  type RequestState,
  requestDuration,
  stateWord,
  WIRE_STATE,
} from './request-record';

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

  it.each([
    ['{"state":"completed","callback_failed":false}', { kind: 'completed', callback: 'ok' }],
    ['{"state":"completed"}', { kind: 'completed', callback: 'unknown' }],
    ['{"state":"completed","callback_failed":"true"}', { kind: 'completed', callback: 'unknown' }],
    ['{"state":"failed","provider_random_number":null}', { kind: 'failed', providerRandomNumber: null }],
    ['{"state":"failed","reason":"Reverted: 0x1c"}', { kind: 'failed', reason: 'Reverted: 0x1c' }],
  ])('claims nothing beyond what %s says', (json, state) => {
    expect(stateOf(json)).toEqual(state);
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
  ])('calls %s unknown, by its wire name', (json, wireName) => {
    expect(stateOf(json)).toEqual({ kind: 'unknown', wireName });
  });

  it('keeps the members of an unknown state', () => {
    expect(recordWith({ state: '{"state":"queued","position":18446744073709551615}' }).extra).toEqual({
      'state.position': '18446744073709551615',
    });
  });
});

it('a row is readable for the gateway exactly if it is read as a record', () => {
  const odd = [rowText({ sequence: '1e400' }), rowText({ created_at: '"2026-02-30"' }), '[]'];
  const kinds = [rowText(), ...odd].map((text) => {
    return [isReadableRow(JSON.parse(text)), readPage([text]).rows[0]?.kind];
  });
  expect(kinds).toEqual([[true, 'record'], ...odd.map(() => [false, 'unreadable'])]);
});

describe('stateWord', () => {
  it.each<[RequestState, string]>([
    [{ kind: 'pending' }, 'pending'],
    [{ kind: 'failed' }, 'failed'],
    [{ kind: 'completed', callback: 'ok' }, 'completed'],
    [{ kind: 'completed', callback: 'unknown' }, 'completed'],
    [{ kind: 'completed', callback: 'failed' }, 'callback-failed'],
    [{ kind: 'unknown', wireName: 'revealing' }, 'revealing'],
  ])('of %j is %s', (state, word) => expect(stateWord(state)).toBe(word));

  it('does not confuse a wire name with one of our words', () => {
    for (const word of Object.keys(WIRE_STATE)) {
      expect(stateWord({ kind: 'unknown', wireName: word })).toBe(`"${word}"`);
    }
  });
});

describe('requestDuration', () => {
  const momentOf = (ms: number) => ({ text: new Date(ms).toISOString(), ms });

  const pending = { kind: 'pending' } as const;
  const failed = { kind: 'failed' } as const;
  const odd = { kind: 'unknown', wireName: 'x' } as const;
  it.each<[string, RequestState, number, number | undefined, number, ReturnType<typeof requestDuration>]>([
    ['the age of a pending request', pending, 1000, 2000, 5000, { kind: 'age', ms: 4000 }],
    ['the age of one whose state nobody knows', odd, 1000, 2000, 5000, { kind: 'age', ms: 4000 }],
    [
      'the time to the last update of a finished one',
      failed,
      1000,
      2500,
      99_000,
      { kind: 'duration', ms: 1500 },
    ],
    ['not known without an update', failed, 1000, undefined, 99_000, undefined],
    ['no negative age', pending, 600_000, undefined, 0, { kind: 'age', ms: 0 }],
    ['no negative time', failed, 600_000, 0, 0, { kind: 'duration', ms: 0 }],
  ])('is %s', (_, state, createdMs, updatedMs, nowMs, duration) => {
    const updatedAt = updatedMs === undefined ? undefined : momentOf(updatedMs);
    expect(requestDuration({ state, createdAt: momentOf(createdMs), updatedAt }, nowMs)).toEqual(duration);
  });
});

describe('a log list', () => {
  it('reads the row of the contract with every digit', () => {
    expect(recordWith()).toEqual({
      kind: 'record',
      key: `42161/${PROVIDER.toLowerCase()}/18446744073709551615/${HASH.toLowerCase()}`,
      chainName: 'arbitrum',
      networkId: '42161',
      sequence: '18446744073709551615',
      createdAt: { text: '2026-11-20T08:05:03.123456789Z', ms: Date.UTC(2026, 10, 20, 8, 5, 3, 123) },
      updatedAt: { text: '2026-11-20T08:05:05', ms: Date.UTC(2026, 10, 20, 8, 5, 5) },
      gasLimit: '500000',
      provider: PROVIDER,
      sender: `0x${'11'.repeat(20)}`,
      requestBlock: '123456',
      requestTxHash: HASH,
      state: { kind: 'pending' },
      userRandomNumber: '00ff',
      extra: {},
      rawJson: rowText(),
    });
  });

  it('reads integers alike from numbers and text', () => {
    const { rawJson: _a, ...numbers } = recordWith({ network_id: '42161', gas_limit: '500000' });
    const { rawJson: _b, ...texts } = recordWith({ sequence: '"18446744073709551615"' });
    expect(numbers).toEqual(texts);
  });

  it('needs a network, a sequence and a time, and nothing else', () => {
    const [row] = readPage(['{"network_id":1,"sequence":"2","created_at":"2026-11-20"}']).rows;
    expect(row).toMatchObject({
      kind: 'record',
      key: '1//2/',
      chainName: '',
      state: { kind: 'unknown', wireName: 'missing' },
      extra: {},
    });
    expect(row !== undefined && 'gasLimit' in row).toBe(false);
  });

  it('reads null as an absent member', () => {
    const nulls = ['gas_limit', 'provider', 'sender', 'last_updated_at', 'request_tx_hash', 'chain_id'];
    const record = recordWith(Object.fromEntries(nulls.map((name) => [name, 'null'])));
    expect(record.extra).toEqual({});
    expect(record.provider).toBeUndefined();
    expect(record.key).toBe('42161//18446744073709551615/');
  });

  it('reads integers of 256 bits, and keeps longer ones as their JSON', () => {
    const largest = (2n ** 256n - 1n).toString();
    expect(recordWith({ sequence: largest, request_block_number: largest })).toMatchObject({
      sequence: largest,
      requestBlock: largest,
    });
    const longer = '9'.repeat(79);
    const record = recordWith({ request_block_number: longer });
    expect(record.requestBlock).toBeUndefined();
    expect(record.extra.request_block_number).toBe(longer);
  });

  it('keeps unknown and unreadable members as their JSON', () => {
    const record = recordWith({
      priority: '9007199254740993',
      note: 'null',
      gas_limit: '{"max":1.50}',
      request_block_number: '-1',
      last_updated_at: '"yesterday"',
      state: '{"state":"completed","gas_used":[],"retries":3}',
    });
    expect(record.extra).toEqual({
      priority: '9007199254740993',
      note: 'null',
      gas_limit: '{"max":1.50}',
      request_block_number: '-1',
      last_updated_at: '"yesterday"',
      'state.gas_used': '[]',
      'state.retries': '3',
    });
    expect(record.gasLimit).toBeUndefined();
    expect(record.updatedAt).toBeUndefined();
  });

  it('keeps a member named __proto__ as data', () => {
    const [row] = readPage([
      '{"network_id":1,"sequence":2,"created_at":"2026-11-20","__proto__":{"x":1}}',
    ]).rows;
    expect(row?.kind === 'record' && Object.entries(row.extra)).toEqual([['__proto__', '{"x":1}']]);
  });

  it('keeps markup, control characters and direction marks as they came', () => {
    const hostile = '<img src=x onerror=alert(1)>\u202e\u0007javascript:';
    const record = recordWith({
      sender: JSON.stringify(hostile),
      state: JSON.stringify({ state: 'failed', reason: hostile }),
    });
    expect(record.sender).toBe(hostile);
    expect(record.state).toEqual({ kind: 'failed', reason: hostile });
  });

  it('returns one unreadable row among fifty, and the other forty-nine', () => {
    const rows = Array.from({ length: 50 }, (_, i) => rowText({ sequence: String(i) }));
    rows[17] = '{"sequence":[18446744073709551615]}';
    const page = readPage(rows, '"50"');
    expect(page.total).toBe('50');
    expect(page.rows.filter((row) => row.kind === 'record')).toHaveLength(49);
    expect(page.rows[17]).toMatchObject({
      kind: 'unreadable',
      rawJson: '{"sequence":[18446744073709551615]}',
      problem: 'network_id is not an integer of 0 or more.',
    });
  });

  it.each([
    ['null', 'The row is not an object.'],
    ['[]', 'The row is not an object.'],
    ['7', 'The row is not an object.'],
    [rowText({ network_id: '-1' }), 'network_id is not an integer of 0 or more.'],
    [rowText({ network_id: '1.5' }), 'network_id is not an integer of 0 or more.'],
    [rowText({ network_id: undefined }), 'network_id is not an integer of 0 or more.'],
    [rowText({ sequence: '"0x1"' }), 'sequence is not an integer.'],
    [rowText({ sequence: 'null' }), 'sequence is not an integer.'],
    [rowText({ sequence: `"${'9'.repeat(79)}"` }), 'sequence is not an integer.'],
    [rowText({ network_id: '9'.repeat(79) }), 'network_id is not an integer of 0 or more.'],
    [rowText({ created_at: '"2026-02-30T00:00:00Z"' }), 'created_at is not a time.'],
    [rowText({ created_at: '1690576635' }), 'created_at is not a time.'],
  ])('calls %s unreadable and names the reason', (text, problem) => {
    const [row] = readPage([text]).rows;
    expect(row).toMatchObject({ kind: 'unreadable', rawJson: text, problem });
  });

  it('keeps the total as sent, even if it contradicts the rows', () => {
    expect(readPage([rowText()], '0').total).toBe('0');
    expect(readPage([], '18446744073709551615').total).toBe('18446744073709551615');
    expect(readPage([], '"12"').total).toBe('12');
    expect(readPage([], '-1').total).toBeUndefined();
    expect(readPage([], 'null').total).toBeUndefined();
    for (const total of ['"many"', `"${'9'.repeat(21)}"`, `"${'9'.repeat(100_000)}"`, '1e300']) {
      expect(readPage([], total).total).toBeUndefined();
    }
  });

  it('distinguishes an empty list from a missing one', () => {
    expect(readPage([])).toEqual({ rows: [], total: '0' });
    expect(openLogPage('{"requests":[]}')).toMatchObject({ ok: true, value: { requests: [] } });
    const broken = ['', 'null', '[]', '{}', '"x"', '{"requests":null}', '{"requests":{}}', '<html></html>'];
    for (const text of [...broken, `{"requests":[${rowText()}`]) {
      expect(openLogPage(text)).toMatchObject({ ok: false, failure: { kind: 'malformed', service: 'logs' } });
    }
  });

  it('reads a page alike with and without a row that needs exact numbers', () => {
    const calm = [
      rowText({ sequence: '7' }),
      rowText({ sequence: '8', state: '{"state":"queued","n":[1]}' }),
      '{}',
    ];
    expect(readPage([...calm, '1.50']).rows.slice(0, 3)).toEqual(readPage(calm).rows);
  });

  it('returns values that survive JSON, as server props must', () => {
    const page = readPage([rowText(), 'null', rowText({ state: '{"state":"completed"}' })]);
    expect(JSON.parse(JSON.stringify(page))).toEqual(page);
  });
});

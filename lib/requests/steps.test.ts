import { describe, expect, it } from 'vitest';
import { recordWith } from '@/lib/core/log-row-fixture';
import { listedRow } from './requests-response';
import { requestSteps, requestWaits } from './steps';

const CREATED_MS = Date.parse('2026-11-20T08:05:03.123Z');
const stepsFor = (change: Parameters<typeof recordWith>[0]) =>
  requestSteps(listedRow(recordWith(change), 'main'));
const completed = (callbackFailed: boolean, block = '123459') =>
  JSON.stringify({
    state: 'completed',
    reveal_block_number: Number(block),
    reveal_tx_hash: `0x${'ef'.repeat(32)}`,
    callback_failed: callbackFailed,
  });

describe('the steps of a request', () => {
  it('are requested, seen, revealed and confirmed for an answered request, with blocks and time between them', () => {
    const steps = stepsFor({ state: completed(false) });
    expect(steps.map(({ name, state }) => [name, state])).toEqual([
      ['Requested', 'done'],
      ['Seen', 'done'],
      ['Revealed', 'done'],
      ['Confirmed', 'done'],
    ]);
    // Times count from when the request was seen. The reveal has only an upper bound.
    expect(steps.map((step) => step.after)).toEqual([undefined, 'Start', '≤ +1.8 s', '+1.8 s']);
    expect(steps[2]).toMatchObject({ blocksAfter: '+3', before: { text: '2026-11-20T08:05:05' } });
    expect(steps[0]).toMatchObject({ block: '123456' });
    expect(steps[3]?.time?.text).toBe('2026-11-20T08:05:05');
  });

  it('for an answer logged 195 s later, say that its block was the next one, and when it was logged', () => {
    const logged = JSON.stringify('2026-11-20T08:08:18.123');
    const [requested, , revealed, confirmed] = stepsFor({
      state: completed(false, '123457'),
      last_updated_at: logged,
    });
    expect([requested?.block, revealed?.block, revealed?.blocksAfter]).toEqual(['123456', '123457', '+1']);
    // The log only shows that the reveal was earlier.
    expect(revealed).not.toHaveProperty('time');
    expect(revealed).toMatchObject({ after: '≤ +3 min 15 s', before: { text: '2026-11-20T08:08:18.123' } });
    expect(confirmed).toMatchObject({
      after: '+3 min 15 s',
      hint: 'When the keeper first logged this outcome',
    });
  });

  it('have the times of both blocks and the wait since the request if the chain reports them', () => {
    const row = listedRow(recordWith({ state: completed(false) }), 'main');
    // Block times are whole seconds.
    const times = { requestedMs: CREATED_MS - 1123, answeredMs: CREATED_MS + 877 };
    const steps = requestSteps(row, 'mined', times);
    expect(steps[0]).toMatchObject({ time: { text: '2026-11-20T08:05:02Z' } });
    expect(steps[0]).not.toHaveProperty('before');
    expect(steps[2]).toMatchObject({ time: { text: '2026-11-20T08:05:04Z' } });
    expect(steps.map(({ after }) => after)).toEqual(['Start', '+1 s', '+2 s', '+3 s']);
    expect(steps[2]?.blocksAfter).toBe('+3');
    // A keeper whose clock is behind the chain's cannot have seen the request before it was made.
    const later = { requestedMs: CREATED_MS + 877, answeredMs: CREATED_MS + 1877 };
    expect(requestSteps(row, 'mined', later)[1]?.after).toBeUndefined();
  });

  it('show a reverted callback at its step', () => {
    expect(stepsFor({ state: completed(true) })[2]).toMatchObject({
      name: 'Revealed, callback reverted',
      state: 'bad',
    });
  });

  it('show no distance between blocks that run backwards or are missing', () => {
    expect(stepsFor({ state: completed(false, '5') })[2]?.blocksAfter).toBeUndefined();
    const unknown = stepsFor({ state: completed(false), request_block_number: undefined })[2];
    expect(unknown?.blocksAfter).toBeUndefined();
  });

  it('stay open while it is pending', () => {
    const steps = stepsFor({ state: '{"state":"pending"}', last_updated_at: undefined });
    expect(steps.map(({ state }) => state)).toEqual(['done', 'done', 'open', 'open']);
    expect(steps.map(({ after }) => after)).toEqual([undefined, 'Start', undefined, undefined]);
  });

  it('end with the failure of a failed request, and claim no reveal', () => {
    const steps = stepsFor({ state: '{"state":"failed","reason":"x"}' });
    expect(steps.slice(2).map(({ name, state }) => [name, state])).toEqual([
      ['No reveal logged', 'unknown'],
      ['Failed', 'bad'],
    ]);
  });

  it('call the request unknown if the chain does not know its transaction, regardless of the log', () => {
    const row = listedRow(recordWith({ state: '{"state":"failed","reason":"x"}' }), 'main');
    const [requested] = requestSteps(row, 'missing');
    expect(requested).toMatchObject({ state: 'unknown', note: 'unknown to the chain' });
    expect(requested?.block).toBeUndefined();
    expect(requested?.txHash).toMatch(/^0x/);
    const states = (['mined', 'waiting', 'reverted'] as const).map(
      (transaction) => requestSteps(row, transaction)[0]?.state,
    );
    expect(states).toEqual(['done', 'open', 'bad']);
  });
});

describe('the waits of a request', () => {
  const row = listedRow(recordWith({ state: completed(false) }), 'main');
  const lengths = (times?: { requestedMs: number; answeredMs: number }) =>
    requestWaits(row, times, CREATED_MS + 60_000).map(({ id, fromMs, toMs }) => [id, toMs - fromMs]);

  it('are all between its steps if the chain reports the times of both blocks', () => {
    expect(lengths({ requestedMs: CREATED_MS - 1123, answeredMs: CREATED_MS + 877 })).toEqual([
      ['seen', 1123],
      ['revealed', 877],
      ['ended', 1000],
    ]);
  });

  it('are one, until it was logged, without these times', () => {
    expect(lengths()).toEqual([['ended', 1877]]);
  });

  it('leave out an end before its start', () => {
    expect(lengths({ requestedMs: CREATED_MS + 500, answeredMs: CREATED_MS + 1000 })).toEqual([
      ['revealed', 500],
      ['ended', 877],
    ]);
  });

  it('last until now while it is open', () => {
    const open = listedRow(recordWith({ state: '{"state":"pending"}', last_updated_at: undefined }), 'main');
    expect(requestWaits(open, undefined, CREATED_MS + 60_000)).toMatchObject([
      { id: 'ended', name: 'so far', fromMs: CREATED_MS, toMs: CREATED_MS + 60_000 },
    ]);
  });
});

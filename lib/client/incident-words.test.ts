import { describe, expect, it } from 'vitest';
import {
  headlineOf,
  incidentRowsPath,
  stuckCount,
  stuckParts,
  subjectWords,
  titleBeside,
} from './incident-words';

const text = { network: (id: string) => (id === '8453' ? 'Base' : `Network ${id}`), moment: () => '10:42' };
const SENDER = `0x${'ab'.repeat(20)}`;

describe('an incident in words', () => {
  it('names network, size, senders and since when', () => {
    const incident = { networkId: '8453', size: 41, senders: 12, sinceMs: 0 };
    expect(headlineOf(incident, text)).toBe('Base: 41 pending, 12 senders, since 10:42');
  });

  it('says of a quiet network with nothing stuck that nothing is logged', () => {
    const incident = { networkId: '146', size: 0, senders: 0, sinceMs: 0 };
    expect(headlineOf(incident, text)).toBe('Network 146: nothing logged since 10:42');
  });

  it('spells out what a name of a network hides', () => {
    const odd = { network: () => 'Ba\u202Ese', moment: () => '10:42' };
    expect(headlineOf({ networkId: '1', size: 1, senders: 1, sinceMs: 0 }, odd)).toContain('Ba⟨202E⟩se');
  });

  it('leads to its pending rows of all times', () => {
    const path = incidentRowsPath({
      keeper: 'main',
      networkId: '8453',
      subject: { kind: 'sender', sender: SENDER },
    });
    const params = new URLSearchParams(path.split('?')[1]);
    expect(Object.fromEntries(params)).toEqual({
      network: '8453',
      state: 'pending',
      keeper: 'main',
      q: SENDER,
      range: 'all',
    });
  });

  it('searches for nothing where the service has no filter for the subject', () => {
    const path = incidentRowsPath({ keeper: 'main', networkId: '8453', subject: { kind: 'rest' } });
    expect(path).not.toContain('q=');
  });

  it('names sender, transaction and the shared rest of numbers, and nothing for a whole network', () => {
    expect(subjectWords({ kind: 'sender', sender: SENDER })).toEqual({ label: 'Sender', value: SENDER });
    expect(subjectWords({ kind: 'replica', provider: '0xcd', modulus: 2, remainder: 1 })?.value).toBe(
      'sequence mod 2 = 1, provider 0xcd',
    );
    expect(subjectWords({ kind: 'network' })).toBeUndefined();
  });
});

describe('how much is stuck', () => {
  it.each([
    [{ incidents: 1, singles: 0 }, '1 incident'],
    [{ incidents: 3, singles: 2 }, '3 incidents and 2 single requests'],
    [{ incidents: 0, singles: 1 }, '1 single request'],
  ])('%j is %s', (parts, words) => {
    expect(stuckParts({ kind: 'stuck', requests: 9, ...parts })).toBe(words);
  });

  it('is a lower bound while not everything was looked at', () => {
    expect(stuckCount(1, 'whole')).toBe('1 request is stuck');
    expect(stuckCount(10_000, 'part')).toBe('At least 10,000 requests are stuck');
  });
});

describe('the title of a rule', () => {
  it('is left out where the sentence says it', () => {
    expect(titleBeside('Whole network', 'The whole network: most requests are pending')).toBeUndefined();
    expect(titleBeside('Network gone quiet', 'Nothing logged for 40 min')).toBe('Network gone quiet');
  });
});

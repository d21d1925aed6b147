import { describe, expect, it } from 'vitest';
import type { ListedRow } from '@/lib/contract/codec/listing';
import { loadedValues, typedAmount } from './loaded-values';

function row(sender: string | undefined): ListedRow {
  return {
    kind: 'record',
    keeper: 'main',
    key: `main/1//1/${sender}`,
    chainName: '',
    networkId: '1',
    sequence: '1',
    createdAt: { text: '2026-11-20T08:00:00Z', ms: Date.UTC(2026, 10, 20, 8) },
    ...(sender === undefined ? {} : { sender }),
    state: { kind: 'pending' },
    extra: {},
    rawJson: '{}',
  };
}

describe('loadedValues', () => {
  it('counts the values of the rows, the most frequent first, whatever their case', () => {
    const rows = [row('0xa'), row('0xB'), row(undefined), row('0xb'), row('')];
    expect(loadedValues(rows, 'sender', [])).toEqual([
      { value: '0xB', count: 2 },
      { value: '0xa', count: 1 },
    ]);
    expect(loadedValues(rows, 'provider', [])).toEqual([]);
  });

  it('keeps what is chosen, as it was chosen, also when no row has it', () => {
    expect(loadedValues([row('0xA')], 'sender', ['0xa', '0xc'])).toEqual([
      { value: '0xa', count: 1 },
      { value: '0xc', count: 0 },
    ]);
  });
});

describe('typedAmount', () => {
  it('reads digits with and without separators', () => {
    expect(['500000', '500,000', ' 1_500_000 ', '500 000', '007'].map(typedAmount)).toEqual([
      '500000',
      '500000',
      '1500000',
      '500000',
      '7',
    ]);
  });

  it('takes nothing else', () => {
    for (const text of ['', '1e6', '-1', '1.5', '5,00', 'many', '9'.repeat(41)]) {
      expect(typedAmount(text)).toBeUndefined();
    }
  });
});

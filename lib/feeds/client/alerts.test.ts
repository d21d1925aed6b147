import { expect, it } from 'vitest';
import { alertText } from './alerts';

it('an alert is named by its feed and its condition', () => {
  const condition = { kind: 'change', percent: { mantissa: 5n, expo: 0 }, windowS: 300 } as const;
  const alert = { id: '1', feedId: 'btc', symbol: 'Crypto.BTC/USD', condition };
  expect(alertText(alert)).toBe('BTC/USD: price moves more than 5% within 5 min');
});

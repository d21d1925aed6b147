import { expect, it } from 'vitest';
import { networkIdsOf } from './chain-configs';

it('reads ids as numbers or text, each once, and leaves out what is none', () => {
  const text =
    '[{"network_id":8453},{"network_id":"42161"},{"network_id":8453},{"name":"x"},7,{"network_id":-1},{"network_id":18446744073709551615}]';
  expect(networkIdsOf(text)).toEqual({ ok: true, value: ['8453', '42161', '18446744073709551615'] });
});

it.each(['<html>', '{}', ''])('%s is no list', (text) => {
  expect(networkIdsOf(text).ok).toBe(false);
});

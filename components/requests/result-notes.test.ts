import { expect, it } from 'vitest';
import { defaultRequestsView } from '@/lib/contract/codec/requests-url';
import { unservedNote } from './result-notes';

const note = (networks: string[], keepers: string[], ...unserved: [string, string][]) =>
  unservedNote({
    view: { ...defaultRequestsView(), networks, keepers },
    unserved: unserved.map(([keeper, networkId]) => ({ keeper, networkId })),
  });

it('names the chosen networks that no keeper serves, a few of them', () => {
  expect(note(['1', '2'], [], ['main', '2'])).toBe(
    'Not served by keeper main, so without rows here: network 2.',
  );
  const many = ['1', '2', '3', '4', '5', '6', '7'];
  expect(note(many, [], ...many.map((id): [string, string] => ['main', id]))).toMatch(
    /network 5 and 2 more\.$/,
  );
});

it('says nothing of a network that another keeper serves', () => {
  const both = ['main', 'test'];
  expect(note(['1', '2'], both, ['main', '2'], ['test', '1'])).toBeUndefined();
  expect(note(['1', '2'], both, ['main', '2'], ['test', '2'])).toBe(
    'Not served by any keeper that was asked, so without rows here: network 2.',
  );
});

import { describe, expect, it } from 'vitest';
import { defaultRequestsView } from '@/lib/requests/view';
import { clockNote, unservedNote } from './result-notes';

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

describe('the clock of the service', () => {
  const noteOf = (keepers: string[], ...clocks: [string, number][]) =>
    clockNote({
      view: { ...defaultRequestsView(), keepers },
      ...{
        rows: [],
        atMs: Date.UTC(2026, 10, 20),
        clocks: clocks.map(([keeper, offByMs]) => ({ keeper, offByMs })),
      },
    });

  it('is said to be behind by the dates of its answers, and not that it is the wrong one', () => {
    expect(noteOf([], ['main', -599_000])).toBe(
      'The request log service’s clock is 9 min 59 s behind this dashboard’s, by the dates of its answers: here every row looks older by that much, and none is newer. Either clock may be off.',
    );
  });

  it('is said to be ahead by the dates of its answers where no row says so', () => {
    expect(noteOf([], ['main', 600_000])).toContain('clock is 10 min 00 s ahead of this dashboard’s');
  });

  it('is named with its keeper where several were asked, the one that is off by most', () => {
    expect(noteOf(['main', 'test'], ['main', -60_000], ['test', 90_000])).toMatch(
      /^The clock of keeper test’s request log service is 1 min 30 s ahead/,
    );
  });

  it('is no matter where none is off', () => {
    expect(noteOf([])).toBeUndefined();
  });
});

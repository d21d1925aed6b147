import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyView } from './any-view-fixture';
import { DEFAULT_LAYOUT } from './columns';
import { expectedDifference, lateNote, type SharedAs, sharedLink } from './share';
import { defaultRequestsView, type RequestsView } from './view';
import { formatRequestsUrl, parseRequestsUrl } from './view-url';

const NOW = Date.parse('2026-11-20T12:00:07.890Z');
const AS: SharedAs = {
  asof: '2026-11-20T12:00:05.123Z',
  total: '1234',
  layout: DEFAULT_LAYOUT,
  zone: 'local',
  nowMs: NOW,
};

function sharedView(view: RequestsView, as: SharedAs): RequestsView {
  return parseRequestsUrl(new URL(sharedLink(view, as, 'http://host:3000')).searchParams).view;
}

describe('a shared view', () => {
  it('has an absolute time, the snapshot, columns, zone, total, order and open row, and follows nothing', () => {
    const view: RequestsView = {
      ...defaultRequestsView(),
      sort: 'state.asc',
      open: 'main/1/0x/2/0x',
      live: 2,
    };
    expect(sharedView(view, AS)).toEqual({
      ...defaultRequestsView(),
      sort: 'state.asc',
      open: 'main/1/0x/2/0x',
      time: { kind: 'between', from: '2026-11-19T12:00:05.123Z', to: '2026-11-20T12:00:05.123Z' },
      asof: '2026-11-20T12:00:05.123Z',
      columns: DEFAULT_LAYOUT,
      zone: 'local',
      expected: '1234',
    });
  });

  it('is read back from its link as it was, and its link is that of the view', () => {
    fc.assert(
      fc.property(anyView, (view) => {
        const link = new URL(sharedLink(view, AS, 'http://host:3000'));
        const { live: _live, time, ...shared } = view;
        const read = sharedView(view, AS);
        const { asof = AS.asof, columns, zone, expected } = read;
        expect(read).toMatchObject({ ...shared, asof, columns, zone, expected });
        if (time.kind !== 'last') expect(read.time).toEqual(time);
        expect([columns, zone, expected]).toEqual([DEFAULT_LAYOUT, 'local', '1234']);
        expect(`${link.pathname}${link.search}`).toBe(formatRequestsUrl(read));
      }),
    );
  });

  it('that stays live keeps its range, and is not pinned', () => {
    const view = { ...defaultRequestsView(), asof: AS.asof, expected: '7', q: '17' };
    const link = new URL(sharedLink(view, AS, 'http://host:3000', 'live'));
    const shared = { ...defaultRequestsView(), q: '17', columns: DEFAULT_LAYOUT, zone: 'local' };
    expect(parseRequestsUrl(link.searchParams).view).toEqual(shared);
  });

  it('is pinned to now while no rows are there, and promises no total then', () => {
    const shared = sharedView(defaultRequestsView(), { ...AS, asof: undefined, total: undefined });
    expect(shared.asof).toBe('2026-11-20T12:00:07.890Z');
    expect(shared.expected).toBeUndefined();
  });
});

describe('the total that a link promises', () => {
  const view = { ...defaultRequestsView(), expected: '1234' };

  it('is compared with the current one', () => {
    expect(expectedDifference(view, { total: '1230' })).toBe('Shared with 1,234 requests, now 1,230');
    expect(expectedDifference({ ...view, expected: '0' }, { total: '1' })).toBe(
      'Shared with 0 requests, now 1',
    );
  });
});

it('a pinned list says what was read only after its moment', () => {
  expect(lateNote({})).toBeUndefined();
  expect([1, 1200].map((late) => lateNote({ late }))).toEqual([
    '1 request created before the moment of this list could only be read later, and is not in it',
    '1,200 requests created before the moment of this list could only be read later, and are not in it',
  ]);
});

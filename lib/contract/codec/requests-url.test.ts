import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyView, isoText, someText } from './any-requests-view';
import { defaultRequestsView, formatRequestsUrl, parseRequestsUrl, type RequestsView } from './requests-url';

const HASH = `0x${'ab'.repeat(32)}`;

const parse = (query: string) => parseRequestsUrl(new URLSearchParams(query));
const view = (change: Partial<RequestsView> = {}): RequestsView => ({ ...defaultRequestsView(), ...change });
const paramsOf = (url: string) => new URLSearchParams(url.split('?')[1] ?? '');

describe('the address of a view', () => {
  it('reads back as the view it was made from, without a problem', () => {
    fc.assert(
      fc.property(anyView, (original) => {
        const { view, problems } = parseRequestsUrl(paramsOf(formatRequestsUrl(original)));
        expect(view).toEqual(original);
        // A row can be named but not opened yet, and that is said.
        expect(problems.map(({ param }) => param)).toEqual(original.open === undefined ? [] : ['open']);
      }),
      { numRuns: 500 },
    );
  });

  it('is stable for any query, however odd: what was read once reads the same again', () => {
    const name = fc.oneof(
      fc.constantFrom(
        'network',
        'state',
        'keeper',
        'q',
        'range',
        'from',
        'to',
        'page',
        'size',
        'sort',
        'asof',
        'open',
      ),
      someText,
    );
    const value = fc.oneof(
      someText,
      isoText,
      fc.constantFrom('', '1', '007', '50', 'all', '1h', 'Pending', HASH),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (pairs) => {
        const first = parseRequestsUrl(new URLSearchParams(pairs)).view;
        expect(parseRequestsUrl(paramsOf(formatRequestsUrl(first))).view).toEqual(first);
      }),
      { numRuns: 500 },
    );
  });

  it('leaves defaults out', () => {
    expect(formatRequestsUrl(defaultRequestsView())).toBe('/requests');
    expect(formatRequestsUrl(view({ networks: ['42161'], states: ['callback-failed'], page: 3 }))).toBe(
      '/requests?network=42161&state=callback-failed&page=3',
    );
  });

  it('means the last 24 hours, 50 rows, first page, when it says nothing', () => {
    expect(parse('')).toEqual({
      view: {
        networks: [],
        states: [],
        keepers: [],
        q: '',
        time: { kind: 'last', range: '24h' },
        page: 1,
        size: 50,
        sort: 'created.desc',
      },
      problems: [],
    });
  });

  it('takes the empty values of a form for nothing said', () => {
    expect(parse('network=&state=&keeper=&q=&range=&from=&to=&page=&size=&sort=&asof=&open=')).toEqual(
      parse(''),
    );
  });
});

describe('reading', () => {
  it('knows the states by our words and by the names of the service', () => {
    for (const [text, word] of [
      ['pending', 'pending'],
      ['Pending', 'pending'],
      ['CallbackErrored', 'callback-failed'],
      ['Failed', 'failed'],
      ['Completed', 'completed'],
      ['Revealing', 'Revealing'],
      ['PENDING', 'PENDING'],
    ] as const) {
      expect(parse(`state=${text}`)).toMatchObject({ view: { states: [word] }, problems: [] });
    }
  });

  it('writes a network id by its digits', () => {
    expect(parse('network=0042161').view.networks).toEqual(['42161']);
    expect(parse('network=9223372036854775807').view.networks).toEqual(['9223372036854775807']);
  });

  it('keeps further networks, states and keepers, and says that one is shown', () => {
    const { view: read, problems } = parse('network=1&network=10&network=1&state=pending&state=failed');
    expect(read.networks).toEqual(['1', '10']);
    expect(read.states).toEqual(['pending', 'failed']);
    expect(problems).toEqual([
      { param: 'network', value: '10', message: expect.stringContaining('this shows 1.') },
      { param: 'state', value: 'failed', message: expect.stringContaining('this shows pending.') },
    ]);
    expect(formatRequestsUrl(read)).toBe('/requests?network=1&network=10&state=pending&state=failed');
  });

  it.each([
    ['network', 'arbitrum'],
    ['network', '-1'],
    ['network', '9223372036854775808'],
    ['network', '1e3'],
    ['range', '24'],
    ['range', '0h'],
    ['range', '-1h'],
    ['range', '1.5h'],
    ['range', '1w'],
    ['range', '1H'],
    ['range', '99999999d'],
    ['range', '9'.repeat(400)],
    ['from', 'yesterday'],
    ['to', '2026-02-30'],
    ['asof', '1690576635'],
    ['page', '0'],
    ['page', '-1'],
    ['page', '1.5'],
    ['page', '9999999999'],
    ['size', '51'],
    ['size', '1001'],
    ['size', '050'],
    ['sort', 'created.asc'],
    ['limit', '5'],
    ['netwrok', '1'],
  ])('reports %s=%.20s and shows the default', (param, value) => {
    const { view: read, problems } = parse(new URLSearchParams({ [param]: value }).toString());
    expect(read).toEqual(defaultRequestsView());
    expect(problems).toEqual([{ param, value, message: expect.stringMatching(/^[A-Z].*\.$/) }]);
  });

  it('reports the second of what can be given once', () => {
    expect(parse('q=1&q=2&page=2&page=3')).toMatchObject({
      view: { q: '1', page: 2 },
      problems: [
        { param: 'q', value: '2' },
        { param: 'page', value: '3' },
      ],
    });
  });

  it('prefers from and to over a range, and says so', () => {
    expect(parse('range=1h&from=2026-11-20')).toMatchObject({
      view: { time: { kind: 'between', from: '2026-11-20' } },
      problems: [{ param: 'range', value: '1h' }],
    });
  });

  it('falls back to the range when from cannot be read', () => {
    expect(parse('range=1h&from=x')).toMatchObject({
      view: { time: { kind: 'last', range: '1h' } },
      problems: [{ param: 'from', value: 'x' }],
    });
  });

  it('says when the end lies before the beginning', () => {
    expect(parse('from=2026-11-20&to=2026-11-19').problems).toEqual([
      { param: 'to', value: '2026-11-19', message: expect.stringContaining('nothing can be found') },
    ]);
  });
});

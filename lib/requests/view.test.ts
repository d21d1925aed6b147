import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyView, isoText, someText } from './any-view-fixture';
import { applyNot, applyOnly, asNewList, filteredColumns, withoutFilters } from './filters';
import {
  type Cell,
  defaultRequestsView,
  RANGE_FILTERS,
  type RangeMember,
  type RequestsView,
  rangeMs,
  viewNowMs,
} from './view';
import { formatRequestsUrl, parseRequestsUrl, REQUESTS_PARAMS } from './view-url';

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
        expect(problems).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('is stable for any query, however odd: a view that was read once reads back the same', () => {
    const name = fc.oneof(fc.constantFrom(...REQUESTS_PARAMS), someText);
    const value = fc.oneof(
      someText,
      isoText,
      fc.constantFrom('', HASH, 'sequence: 7', 'network*,state~90', 'network,network'),
      fc.constantFrom(...'1 007 50 all 1h Pending state.asc sender:0x1 7- utc state~9'.split(' ')),
      fc.constantFrom(...'compact 30 5-1 1.. ..1.50 9..1 state:Failed network:01'.split(' ')),
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

  it('ignores empty values of a form', () => {
    expect(parse(REQUESTS_PARAMS.map((name) => `${name}=`).join('&'))).toEqual(parse(''));
  });
});

describe('reading', () => {
  it('accepts states by our words and by the names of the service', () => {
    const texts = ['pending', 'Pending', 'CallbackErrored', 'Failed', 'Completed', 'Revealing', 'PENDING'];
    const words = ['pending', 'pending', 'callback-failed', 'failed', 'completed', 'Revealing', 'PENDING'];
    for (const [at, text] of texts.entries()) {
      expect(parse(`state=${text}`)).toMatchObject({ view: { states: [words[at]] }, problems: [] });
    }
  });

  it.each([
    ['network', 'arbitrum'],
    ['network', '-1'],
    ['network', '9223372036854775808'],
    ['range', '24'],
    ['range', '0h'],
    ['range', '99999999d'],
    ['range', '9'.repeat(400)],
    ['from', 'yesterday'],
    ['to', '2026-02-30'],
    ['asof', '1690576635'],
    ['page', '0'],
    ['page', '9999999999'],
    ['size', '51'],
    ['sort', 'created.up'],
    ['sort', 'colour.asc'],
    ['only', 'sender'],
    ['not', 'colour:red'],
    ['gas', '500000'],
    ['only', 'user-random:0x1'],
    ['not', 'network:base'],
    ['gas_limit', '..'],
    ['gas_limit', '1-2'],
    ['gas_used', '1.5..'],
    ['block', `${'9'.repeat(39)}..`],
    ['duration', '0.0001..'],
    ['live', '0'],
    ['live', '31'],
    ['cols', 'colour'],
    ['cols', 'state**'],
    ['cols', 'state~39'],
    ['density', 'compact'],
    ['zone', 'UTC'],
    ['expected', '-1'],
    ['netwrok', '1'],
  ])('reports %s=%.20s and shows the default', (param, value) => {
    const { view: read, problems } = parse(new URLSearchParams({ [param]: value }).toString());
    expect(read).toEqual(defaultRequestsView());
    expect(problems).toEqual([{ param, value, message: expect.stringMatching(/^[A-Z].*\.$/) }]);
  });

  it.each([
    ['network=0042161', { networks: ['42161'] }],
    [
      'network=1&network=10&network=1&state=pending&state=Failed',
      { networks: ['1', '10'], states: ['pending', 'failed'] },
    ],
    ['sort=gas_limit.desc', { sort: 'gas-limit.desc' }],
    ['range=1h&from=2026-11-20', { time: { kind: 'between', from: '2026-11-20' } }],
    ['range=1h&from=x', { time: { kind: 'last', range: '1h' } }],
  ] as const)('%s', (query, read) => {
    expect(parse(query).view).toMatchObject(read);
  });

  it('reports a repeated parameter', () => {
    const { view: read, problems } = parse('q=1&q=2&page=2&page=3');
    expect(read).toMatchObject({ q: '1', page: 2 });
    expect(problems.map(({ param, value }) => `${param}=${value}`)).toEqual(['q=2', 'page=3']);
  });

  it('reports an end before the beginning', () => {
    const message = expect.stringContaining('nothing can match');
    const problem = { param: 'to', value: '2026-11-19', message, used: true };
    expect(parse('from=2026-11-20&to=2026-11-19').problems).toEqual([problem]);
  });

  it('reads columns in their order, with pins and widths, and names the ignored ones', () => {
    const { view: read, problems } = parse(
      'cols=network*~90,sequence~180,colour,created,network&density=roomy',
    );
    const network = { id: 'network', width: 90, pinned: true };
    const sequence = { id: 'sequence', width: 180 };
    expect(read.columns).toEqual({ columns: [network, sequence, { id: 'created' }], density: 'roomy' });
    expect(problems.map(({ param, value }) => `${param}=${value}`)).toEqual(['cols=colour', 'cols=network']);
  });

  it('reads filters on columns; a value may hold anything, colons too', () => {
    expect(
      parse(
        'sender=0xAB&sender=0xab&provider=0xC&failure=a:b&failure=c&not=provider:0XD&not=state:Failed&not=failure:x:y',
      ),
    ).toEqual({
      view: view({
        senders: ['0xab'],
        providers: ['0xc'],
        failures: ['a:b', 'c'],
        not: [
          { column: 'provider', value: '0xd' },
          { column: 'state', value: 'failed' },
          { column: 'failure', value: 'x:y' },
        ],
      }),
      problems: [],
    });
  });

  it('reads ranges with either side open, and a single value as both bounds', () => {
    expect(parse('duration=01.500..10&gas_limit=007..500000&gas_used=..9&block=12')).toEqual({
      view: view({
        duration: { min: '1.5', max: '10' },
        gasLimit: { min: '7', max: '500000' },
        gasUsed: { max: '9' },
        block: { min: '12', max: '12' },
      }),
      problems: [],
    });
  });

  it('reads the filters of old links as current ones', () => {
    expect(
      parse(
        'only=sender:0xAb&only=sender:0x2&only=state:Failed&only=network:010&only=sequence:7&only=duration:1530&gas=007-500000',
      ),
    ).toEqual({
      view: view({
        senders: ['0xab', '0x2'],
        states: ['failed'],
        networks: ['10'],
        q: '7',
        duration: { min: '1.53', max: '1.53' },
        gasLimit: { min: '7', max: '500000' },
      }),
      problems: [],
    });
    const both = { view: { q: '5' }, problems: [{ param: 'q', value: '7' }] };
    expect(parse('q=5&only=sequence:7')).toMatchObject(both);
  });

  it('reports a highest value below the lowest one, and keeps both', () => {
    for (const query of ['gas_limit=5..1', 'gas=5-1']) {
      const problems = [{ param: 'gas_limit', value: '5..1', used: true }];
      expect(parse(query)).toMatchObject({ view: { gasLimit: { min: '5', max: '1' } }, problems });
    }
  });
});

it('a range counts seconds, minutes, hours and days', () => {
  expect(['30s', '45m', '1h', '2d'].map(rangeMs)).toEqual([30_000, 2_700_000, 3_600_000, 172_800_000]);
  expect(['', 'all', '0s', '36501d', 'h', '1 h'].map(rangeMs)).toEqual(Array(6).fill(undefined));
});

it('a view with every member has no filter after all are cleared', () => {
  const kept = {
    size: 100,
    sort: 'block.asc',
    live: 5,
    columns: { columns: [{ id: 'state' }], density: 'roomy' },
    zone: 'utc',
  } satisfies Partial<RequestsView>;
  const full: Required<Omit<RequestsView, RangeMember>> = {
    ...kept,
    networks: ['1'],
    states: ['failed'],
    keepers: ['a'],
    q: '5',
    time: { kind: 'all' },
    page: 7,
    senders: ['0xa'],
    providers: ['0xb'],
    failures: ['reverted'],
    not: [{ column: 'sequence', value: '9' }],
    asof: '2026-11-20T08:00:00Z',
    open: 'row',
    expected: '9',
  };
  const ranges = Object.fromEntries(RANGE_FILTERS.map(({ member }) => [member, { min: '1' }]));
  expect(withoutFilters({ ...full, ...ranges })).toEqual(view(kept));
});

it('a changed filter returns to the live first page, but keeps a snapshot that the change names', () => {
  const deep = view({ networks: ['1'], page: 7, asof: '2026-11-20T08:00:00Z', open: 'row', expected: '9' });
  expect(asNewList(deep, { states: ['failed'] })).toEqual(view({ networks: ['1'], states: ['failed'] }));
  expect(asNewList(deep, { q: '5', asof: deep.asof }).asof).toBe('2026-11-20T08:00:00Z');
  expect([viewNowMs(deep, 5), viewNowMs(view(), 5)]).toEqual([Date.UTC(2026, 10, 20, 8), 5]);
});

const cell = (column: Cell['column'], value: string): Cell => ({ column, value });
const deep = view({ page: 3, asof: '2026-11-20T08:00:00Z', open: 'row' });

describe('applyOnly', () => {
  it.each<[Cell, Partial<RequestsView>]>([
    [cell('network', '8453'), { networks: ['8453'] }],
    [cell('state', 'Revealing'), { states: ['Revealing'] }],
    [cell('sender', '0xAB'), { senders: ['0xab'] }],
    [cell('provider', '0xb'), { providers: ['0xb'] }],
    [cell('failure', 'a: b'), { failures: ['a: b'] }],
    [cell('gas-limit', '500000'), { gasLimit: { min: '500000', max: '500000' } }],
    [cell('duration', '1530'), { duration: { min: '1.53', max: '1.53' } }],
    [cell('sequence', '7'), { q: '7' }],
    [cell('keeper', 'test'), { keepers: ['test'] }],
    [cell('keeper', 'main'), { keepers: ['main'] }],
  ])('%o', (only, change) => {
    expect(applyOnly(deep, only)).toEqual(view(change));
  });

  it('removes the exclusions of the column, and leaves a column without a filter alone', () => {
    const not = [cell('sender', '0xa'), cell('state', 'failed')];
    expect(applyOnly(view({ not }), cell('sender', '0xa'))).toEqual(
      view({ senders: ['0xa'], not: [cell('state', 'failed')] }),
    );
    expect(applyOnly(deep, cell('user-random', '0x1'))).toBe(deep);
  });
});

describe('applyNot', () => {
  it('leaves the value out, once', () => {
    const once = applyNot(deep, cell('network', '8453'));
    expect(once).toEqual(view({ not: [cell('network', '8453')] }));
    expect(applyNot(once, cell('network', '8453'))).toEqual(once);
  });

  it('removes it from the chosen values, and never turns the last one into all of them', () => {
    expect(applyNot(view({ networks: ['1', '777'] }), cell('network', '777'))).toEqual(
      view({ networks: ['1'] }),
    );
    expect(applyNot(view({ keepers: ['main', 'test'] }), cell('keeper', 'test'))).toEqual(
      view({ keepers: ['main'] }),
    );
    expect(applyNot(view({ networks: ['1'] }), cell('network', '1'))).toEqual(
      view({ networks: ['1'], not: [cell('network', '1')] }),
    );
  });
});

it('names the filtered columns that have no separate field, with a value for each', () => {
  const not = [cell('state', 'failed')];
  expect(filteredColumns(view({ senders: ['0xa', '0xb'], not, gasLimit: { min: '1', max: '2' } }))).toEqual([
    ...['sender', 'sender', 'state', 'gas-limit'],
  ]);
});

import { describe, expect, it } from 'vitest';
import { defaultRequestsView, parseRequestsUrl } from '@/lib/requests/view';
import { type Facet, facetPath, loadFacet, withFacetLines } from './facets';

const EMPTY: Facet = { counts: new Map(), complete: false };
const answering =
  (...lines: string[]): typeof fetch =>
  async () =>
    new Response(lines.join('\n'));

async function load(lines: string[], before?: Facet) {
  const seen: Facet[] = [];
  const facet = await loadFacet('/x', {
    signal: new AbortController().signal,
    before,
    onFacet: (one) => seen.push(one),
    fetch: answering(...lines),
  });
  return { facet, seen };
}

describe('the counts of a filter', () => {
  it('come value by value', () => {
    const one = withFacetLines(EMPTY, ['{"value":"1","total":"7"}']);
    const two = withFacetLines(one, [
      'nonsense',
      '{"value":"2","problem":{"kind":"rejected","detail":"no"}}',
    ]);
    expect([...one.counts]).toEqual([['1', { total: '7' }]]);
    expect(two.counts.get('2')).toEqual({ problem: { kind: 'rejected', detail: 'no' } });
    expect(withFacetLines(two, ['{"complete":true}']).complete).toBe(true);
  });

  it('that are known stay until the new ones come', async () => {
    const before: Facet = {
      counts: new Map([
        ['1', { total: '7' }],
        ['2', { total: '8' }],
      ]),
      complete: true,
    };
    const { facet, seen } = await load(['{"value":"1","total":"9"}', '{"complete":true}'], before);
    expect(seen[0]?.counts.get('2')).toEqual({ total: '8' });
    expect([...facet.counts]).toEqual([['1', { total: '9' }]]);
  });

  it('stay when counting fails, and the failure is said', async () => {
    const before: Facet = { counts: new Map([['2', { total: '8' }]]), complete: true };
    const { facet } = await load(
      ['{"value":"1","total":"9"}', '{"problem":{"kind":"timeout","detail":"slow"}}'],
      before,
    );
    expect([...facet.counts.keys()]).toEqual(['2', '1']);
    expect(facet).toMatchObject({ complete: false, failure: { kind: 'timeout', detail: 'slow' } });
  });

  it('that are cut off are not complete', async () => {
    const { facet } = await load(['{"value":"1","total":"9"}']);
    expect(facet).toMatchObject({ complete: false, failure: { kind: 'unreachable' } });
  });
});

it('are asked for with the filters of the view and nothing else of it', () => {
  expect(facetPath(defaultRequestsView(), 'state')).toBe('/api/view/requests/facets?of=state');
  const { view } = parseRequestsUrl(
    new URLSearchParams('network=1&network=2&state=failed&page=3&size=100&only=sender:0x1&q=17&live=5'),
  );
  expect(facetPath(view, 'keeper')).toBe(
    '/api/view/requests/facets?network=1&network=2&state=failed&q=17&sender=0x1&of=keeper',
  );
});

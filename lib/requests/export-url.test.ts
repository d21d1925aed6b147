import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyView } from './any-view-fixture';
import { EXPORT_FORMATS, exportedView, exportUrl, readExportUrl } from './export-url';
import { defaultRequestsView } from './view';

const EXPORT_PATH = '/api/view/requests/export';

const read = (url: string) => readExportUrl(new URL(url, 'http://localhost').searchParams);

it('the address of an export reads back to the parts of the view that decide its rows and columns', () => {
  fc.assert(
    fc.property(anyView, fc.constantFrom(...EXPORT_FORMATS), (view, format) => {
      const url = exportUrl(view, format);
      expect(url.startsWith(`${EXPORT_PATH}?`)).toBe(true);
      expect(read(url)).toEqual({ ok: true, value: { view: exportedView(view), format } });
    }),
  );
});

it('an address of the page works too, without the parts that only concern the page', () => {
  const result = read(
    '/x?network=8453&page=7&size=100&sort=state.asc&open=k&live=5&zone=local&expected=9&only=sender:0x1&gas=1-2',
  );
  expect(result).toEqual({
    ok: true,
    value: {
      view: {
        ...defaultRequestsView(),
        networks: ['8453'],
        senders: ['0x1'],
        gasLimit: { min: '1', max: '2' },
      },
      format: 'csv',
    },
  });
});

it.each(['format=xml', 'range=fortnight', 'netwrok=1', 'from=yesterday'])('%s is refused', (query) => {
  expect(read(`/x?${query}`)).toMatchObject({ ok: false, failure: { kind: 'bad-request' } });
});

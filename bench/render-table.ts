import { end, startPrinting } from './processes';
import type { Figure } from './report';

/** Gate: pages of 50 rows per second on one core, against the same table in a component library's cells. */
const LEAST_TIMES_LIBRARY = 4;

const SCRIPT = 'components/requests/requests-table-cost.tsx';

/** How many pages of 50 rows the server renders per second, ours and a component library's. Node alone, no browser. */
export async function measureRender(): Promise<Figure[]> {
  const { child, said } = await startPrinting(['--import=tsx', '--import=./bench/css-names.mjs', SCRIPT], {
    NODE_ENV: 'production',
  });
  await end(child);
  const { ours, library, ratio } = JSON.parse(said) as Record<'ours' | 'library' | 'ratio', number>;
  const of = 'table of 50 rows rendered on the server';
  return [
    { what: `${of}, ours`, value: ours, unit: 'page/s' },
    { what: `${of}, component library`, value: library, unit: 'page/s' },
    // As a share, since gates are upper bounds: a quarter is four times as many pages.
    { what: `${of}, library/ours`, value: 1 / ratio, unit: '', atMost: 1 / LEAST_TIMES_LIBRARY },
  ];
}

'use client';
import { Button } from '@mantine/core';
import { groupDigits } from '@/lib/client/human-number';
import type { LoadedRequests } from '@/lib/client/requests';
import { pageCount } from '@/lib/client/requests';
import { type RequestsView, withFilter, withPage } from '@/lib/contract/codec/requests-url';
import { recogniseQuery } from '@/lib/domain/log-query';
import classes from './empty-result.module.css';
import { timeWords } from './time-words';
import type { ShowView } from './use-requests-view';

type Way = { label: string; to: RequestsView };

/** One step for each filter that may be what hides the rows. */
function waysOut(view: RequestsView): Way[] {
  const ways: Way[] = [];
  if (view.q !== '') ways.push({ label: 'Clear the search', to: withFilter(view, { q: '' }) });
  if (view.states.length > 0) ways.push({ label: 'All states', to: withFilter(view, { states: [] }) });
  if (view.networks.length > 0) ways.push({ label: 'All networks', to: withFilter(view, { networks: [] }) });
  if (view.time.kind !== 'all')
    ways.push({ label: 'All time', to: withFilter(view, { time: { kind: 'all' } }) });
  return ways;
}

function nothingMatches(view: RequestsView): string {
  const sequence = recogniseQuery(view.q).kind === 'sequence';
  const hint = sequence ? ' A sequence number is looked for on every network, within the time range.' : '';
  return `The request log service answered: it has none ${timeWords(view.time)} with these filters.${hint}`;
}

/** No rows, and no failure: why that is so, and what to change. */
export function EmptyResult({ page, show }: { page: LoadedRequests; show: ShowView }) {
  const { view, total } = page;
  const lastPage = pageCount(total, view.size);
  const isBeyond = view.page > 1;
  const counted = total !== undefined && total !== '0';
  return (
    <div className={classes.empty}>
      <h2 className={classes.title}>
        {isBeyond && counted ? 'This page is beyond the last one' : 'No requests match'}
      </h2>
      <p>
        {isBeyond && counted && lastPage !== undefined
          ? `There are ${groupDigits(String(lastPage))} pages of ${view.size} rows.`
          : counted
            ? `The request log service counts ${groupDigits(total)} requests but sent no rows: its fault, or rows that just left this filter. Refresh to ask again.`
            : nothingMatches(view)}
      </p>
      <div className={classes.ways}>
        {isBeyond ? (
          <Button onClick={() => show(withPage(view, 1, page.atMs), 'push')}>Go to the first page</Button>
        ) : null}
        {counted
          ? null
          : waysOut(view).map((way) => (
              <Button key={way.label} onClick={() => show(way.to, 'push')}>
                {way.label}
              </Button>
            ))}
      </div>
    </div>
  );
}

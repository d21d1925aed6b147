'use client';
import { Button } from '@mantine/core';
import { groupDigits } from '@/lib/client/human-number';
import type { LoadedRequests } from '@/lib/client/requests';
import { pageCount } from '@/lib/client/requests';
import { useSteadyWords } from '@/lib/client/time-style';
import { recogniseQuery } from '@/lib/domain/log-query';
import { withPage } from '@/lib/requests/view';
import classes from './empty-result.module.css';
import { timeWords } from './time-words';
import type { ShowView } from './use-requests-view';
import { isAllUnserved, waysOut } from './ways-out';

/** What may be unexpected about these filters. */
function hintOf(page: LoadedRequests): string {
  const { networks, q } = page.view;
  if (isAllUnserved(page)) {
    return networks.length === 1
      ? ' This network is not served by the keeper that was asked.'
      : ' None of these networks is served by the keepers that were asked.';
  }
  if (recogniseQuery(q).kind !== 'sequence') return '';
  const where = networks.length === 0 ? 'every network' : 'the chosen networks';
  return ` A sequence number is looked for on ${where}, within the time range.`;
}

function nothingMatches(page: LoadedRequests, moment: (ms: number) => string): string {
  const time = timeWords(page.view.time, page.view.asof, moment);
  return `The request log service answered: it has none ${time} with these filters.${hintOf(page)}`;
}

/** No rows, and no failure: why that is so, and what to change. */
export function EmptyResult({
  page,
  keepers,
  show,
}: {
  page: LoadedRequests;
  /** All that there are, the default one first. */
  keepers: readonly string[];
  show: ShowView;
}) {
  const { view, total } = page;
  const moment = useSteadyWords();
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
            : nothingMatches(page, moment)}
      </p>
      <div className={classes.ways}>
        {isBeyond ? (
          <Button onClick={() => show((now) => withPage(now, 1, page.atMs), 'push')}>
            Go to the first page
          </Button>
        ) : null}
        {counted
          ? null
          : waysOut(page, keepers).map((way) => (
              <Button key={way.label} onClick={() => show(() => way.to, 'push')}>
                {way.label}
              </Button>
            ))}
      </div>
    </div>
  );
}

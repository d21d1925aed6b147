'use client';

import { feedCsv, feedFileName } from '@/lib/client/feed-csv';
import type { FeedName } from '@/lib/client/feed-directory';
import { ticksOf } from '@/lib/client/feed-ticks';
import { saveFile } from '@/lib/client/save-file';
import classes from './feed-page.module.css';
import type { PageDrawing } from './page-drawing';

/** What is shown, as a table of every update with all digits. */
export function SaveChart({
  feeds,
  drawing,
}: {
  feeds: readonly FeedName[];
  drawing: PageDrawing | undefined;
}) {
  const save = () => {
    if (drawing === undefined) return;
    const { fromMs } = drawing.frame;
    const series = feeds.map(({ id, symbol }, at) => {
      const inside = (drawing.seen[at] ?? []).filter(({ atMs }) => atMs >= fromMs);
      return { id, symbol, ticks: ticksOf(inside) };
    });
    const symbols = feeds.map(({ symbol }) => symbol);
    const file = new Blob([feedCsv(series)], { type: 'text/csv' });
    saveFile(file, feedFileName(symbols, drawing.nowMs));
  };
  return (
    <div className={classes.saving}>
      <button type="button" className={classes.button} disabled={drawing === undefined} onClick={save}>
        CSV
      </button>
    </div>
  );
}

'use client';
import { type RefObject, useState } from 'react';
import { windowSinkEdges } from '@/lib/client/export-sink';
import { feedCsv, feedFileName } from '@/lib/client/feed-csv';
import type { FeedName } from '@/lib/client/feed-directory';
import { ticksOf } from '@/lib/client/feed-ticks';
import { shownMoment } from '@/lib/client/moment-text';
import { chartPicture } from './chart-picture';
import classes from './feed-page.module.css';
import type { PageDrawing } from './page-drawing';

/** What is shown, as a table of every update with all digits, and as a picture. */
export function SaveChart({
  place,
  feeds,
  drawing,
}: {
  place: RefObject<HTMLElement | null>;
  feeds: readonly FeedName[];
  drawing: PageDrawing | undefined;
}) {
  const [trouble, setTrouble] = useState<string>();
  const symbols = feeds.map(({ symbol }) => symbol);
  const saveCsv = () => {
    if (drawing === undefined) return;
    const { fromMs } = drawing.frame;
    const series = feeds.map(({ id, symbol }, at) => {
      const inside = (drawing.seen[at] ?? []).filter(({ atMs }) => atMs >= fromMs);
      return { id, symbol, ticks: ticksOf(inside) };
    });
    save(new Blob([feedCsv(series)], { type: 'text/csv' }), feedFileName(symbols, drawing.nowMs, 'csv'));
  };
  const savePicture = async () => {
    const svg = place.current?.querySelector('svg');
    if (drawing === undefined || svg === null || svg === undefined) return;
    const picture = await chartPicture(svg, {
      lines: drawing.frame.series.map(({ name, tone }) => ({ name, tone })),
      detail: windowWords(drawing),
    }).catch(() => undefined);
    setTrouble(picture === undefined ? 'This browser can’t make a picture of the chart.' : undefined);
    if (picture !== undefined) save(picture, feedFileName(symbols, drawing.nowMs, 'png'));
  };
  return (
    <div className={classes.saving}>
      <button type="button" className={classes.button} disabled={drawing === undefined} onClick={saveCsv}>
        CSV
      </button>
      <button type="button" className={classes.button} disabled={drawing === undefined} onClick={savePicture}>
        PNG
      </button>
      {trouble === undefined ? null : <span role="status">{trouble}</span>}
    </div>
  );
}

function save(file: Blob, name: string): void {
  windowSinkEdges().save(file, name);
}

function windowWords({ frame }: PageDrawing): string {
  const utc = (ms: number) => shownMoment(ms, { zone: 'utc', timeZone: 'UTC' }, ms);
  return `${utc(frame.fromMs)} to ${utc(frame.toMs)} UTC`;
}

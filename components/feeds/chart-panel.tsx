'use client';
import { Alert, Button, Group, Paper } from '@mantine/core';
import {
  type ReactNode,
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { saveFile } from '@/components/ui/save-file';
import { Muted } from '@/components/ui/text';
import type { ChartWindow } from '@/lib/feeds/client/chart';
import { joinRedrawQueue, usePage } from '@/lib/feeds/client/hooks';
import { clockSentences } from '@/lib/feeds/client/latency';
import { type DrawingOptions, drawPage, type PageDrawing } from '@/lib/feeds/client/page-drawing';
import { feedCsv, feedFileName } from '@/lib/feeds/client/update-rows';
import { ChartLegend } from './chart-legend';
import { ChartStage } from './chart-stage';
import { FigureTable } from './figure-table';
import classes from './page.module.css';
import { UpdatesTable } from './updates-table';

type ChartOptions = Pick<DrawingOptions, 'feeds' | 'window' | 'scale' | 'isFilled'>;
type Props = ChartOptions & {
  /** Rendered above the chart, and not again with each drawing. */
  controls: ReactNode;
  compare: ReactNode;
  onMove: (window: ChartWindow) => void;
  onEnd: () => void;
};

/** Chart, legend, figures and updates: exactly the part of the page that renders with each drawing. */
export function ChartPanel({ controls, compare, onMove, onEnd, ...options }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = usePageDrawing(place, options);
  // The tables render in a task of their own: together with the chart they would drop a frame.
  const tabled = useDeferredValue(drawing);
  return (
    <div className={classes.panel}>
      <Paper component="section" withBorder radius="md" p="sm" aria-label="Chart">
        <Group gap="xs">
          {controls}
          <Button disabled={drawing === undefined} onClick={() => drawing && saveCsv(drawing)}>
            CSV
          </Button>
        </Group>
        {compare}
        <ChartStage
          place={place}
          symbols={options.feeds.map(({ symbol }) => symbol)}
          drawing={drawing}
          window={options.window}
          onMove={onMove}
          onEnd={onEnd}
        />
        <Muted id="chart-keys" size="xs">
          Drag to move through time, wheel or two fingers to zoom. Keys: arrows, + and −, End for live.
        </Muted>
        {drawing && (
          <>
            <ChartLegend drawing={drawing} />
            <FigureTable drawing={tabled ?? drawing} />
            {clockSentences(drawing.offsets).map((sentence) => (
              <Alert key={sentence} color="wait" p="xs">
                {sentence}
              </Alert>
            ))}
          </>
        )}
      </Paper>
      {tabled && <UpdatesTable drawing={tabled} />}
    </div>
  );
}

/** Latest drawing, redrawn in the page's redraw queue, and at once after a change of the window, the feeds or the size. */
function usePageDrawing(
  place: RefObject<HTMLElement | null>,
  options: ChartOptions,
): PageDrawing | undefined {
  const { store, floors } = usePage();
  const [drawing, setDrawing] = useState<PageDrawing>();
  const draw = useEffectEvent(() => {
    const { clientWidth = 0, clientHeight = 0 } = place.current ?? {};
    const size = { width: Math.floor(clientWidth), height: Math.floor(clientHeight) };
    if (size.width > 0) setDrawing(drawPage(store, { ...options, ...size, floors }));
  });
  const key = JSON.stringify(options);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another key is another drawing, made at once
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const run = () => draw();
    const leave = joinRedrawQueue(run);
    // A ResizeObserver reports the present size first.
    const watcher = new ResizeObserver(run);
    watcher.observe(element);
    return () => {
      leave();
      watcher.disconnect();
    };
  }, [place, key]);
  return drawing;
}

function saveCsv({ feeds, fromMs, nowMs }: PageDrawing): void {
  const series = feeds.map(({ id, symbol, seen }) => {
    return { id, symbol, updates: seen.flatMap(({ atMs, update }) => (atMs >= fromMs ? update : [])) };
  });
  const symbols = feeds.map(({ symbol }) => symbol);
  saveFile(new Blob([feedCsv(series)], { type: 'text/csv' }), feedFileName(symbols, nowMs));
}

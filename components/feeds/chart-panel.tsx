'use client';
import { Alert, Button, Group, Paper } from '@mantine/core';
import { type ReactNode, useDeferredValue } from 'react';
import { saveFile } from '@/components/ui/save-file';
import { Muted } from '@/components/ui/text';
import type { ChartWindow } from '@/lib/feeds/client/chart';
import { clockSentences } from '@/lib/feeds/client/latency';
import type { PageDrawing } from '@/lib/feeds/client/page-drawing';
import { feedCsv, feedFileName } from '@/lib/feeds/client/update-rows';
import { ChartLegend } from './chart-legend';
import { ChartStage } from './chart-stage';
import { useDrawing } from './drawing-provider';
import { FigureTable } from './figure-table';
import classes from './page.module.css';
import { UpdatesTable } from './updates-table';

type Props = {
  symbols: readonly string[];
  window: ChartWindow;
  /** Rendered above the chart. It does not render again with each drawing. */
  controls: ReactNode;
  onMove: (window: ChartWindow) => void;
  onEnd: () => void;
};

export function ChartPanel({ controls, symbols, window, onMove, onEnd }: Props) {
  const { place, drawing } = useDrawing();
  // The table renders in a task of its own, because together with the chart it would drop a frame.
  const tabled = useDeferredValue(drawing);
  const keys = (
    <Muted id="chart-keys" size="xs" className={classes.keys}>
      Drag to move, wheel or two fingers to zoom. Keys: arrows, +, −, End.
    </Muted>
  );
  return (
    <div className={classes.panel} data-compared={symbols.length > 1 ? '' : undefined}>
      <Paper component="section" withBorder radius="md" p="sm" aria-label="Chart">
        <Group gap="xs" mb="xs" className={classes.controls}>
          {controls}
          <Button ml="auto" disabled={drawing === undefined} onClick={() => drawing && saveCsv(drawing)}>
            CSV
          </Button>
        </Group>
        <ChartStage
          place={place}
          symbols={symbols}
          drawing={drawing}
          window={window}
          onMove={onMove}
          onEnd={onEnd}
        />
        {drawing === undefined ? keys : <ChartLegend drawing={drawing}>{keys}</ChartLegend>}
        {drawing && (
          <>
            {drawing.feeds.length > 1 && <FigureTable drawing={drawing} />}
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

function saveCsv({ feeds, fromMs, nowMs }: PageDrawing): void {
  const series = feeds.map(({ id, symbol, seen }) => {
    return { id, symbol, updates: seen.flatMap(({ atMs, update }) => (atMs >= fromMs ? update : [])) };
  });
  const symbols = feeds.map(({ symbol }) => symbol);
  saveFile(new Blob([feedCsv(series)], { type: 'text/csv' }), feedFileName(symbols, nowMs));
}

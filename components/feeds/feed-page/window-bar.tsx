'use client';
import choiceClasses from '@/components/feeds/choices.module.css';
import type { ChartWindow } from '@/lib/client/feed-window';
import { FEED_WINDOWS_MS, spanText } from '@/lib/contract/codec/feed-page-url';
import classes from './window-bar.module.css';

const WORDS: Record<string, string> = {
  '1m': '1 min',
  '5m': '5 min',
  '15m': '15 min',
  '1h': '1 h',
  '6h': '6 h',
  '1d': '24 h',
  '7d': '7 d',
};

/** The windows to choose from, and the way back to the present. */
export function WindowBar({
  window: shown,
  onChoose,
}: {
  window: ChartWindow;
  onChoose: (window: ChartWindow) => void;
}) {
  const isLive = shown.toMs === undefined;
  return (
    <div className={classes.bar}>
      <fieldset className={choiceClasses.choices}>
        <legend className="sr-only">Window</legend>
        {FEED_WINDOWS_MS.map((spanMs) => (
          <button
            key={spanMs}
            type="button"
            className={choiceClasses.choice}
            aria-pressed={shown.spanMs === spanMs}
            onClick={() => onChoose({ ...shown, spanMs })}
          >
            {WORDS[spanText(spanMs)]}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        className={classes.live}
        data-live={isLive ? 'yes' : undefined}
        disabled={isLive}
        onClick={() => onChoose({ spanMs: shown.spanMs })}
      >
        {isLive ? 'Live' : 'Back to live'}
      </button>
    </div>
  );
}

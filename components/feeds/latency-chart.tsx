'use client';
import { useEffect, useState } from 'react';
import { joinDrawing, useFeedStore } from '@/lib/client/feed-hooks';
import { LatencyLog, type LatencyPicture, type ShownLatency } from '@/lib/client/latency-log';
import {
  clockSentences,
  latencyPartText,
  latencyPartWords,
  latencySummaryText,
  latencyText,
} from '@/lib/client/latency-words';
import { clockText } from '@/lib/client/moment-text';
import { type TimeStyle, useTimeStyle } from '@/lib/client/time-style';
import type { LatencyPartName } from '@/lib/domain/feed-latency';
import { LatencyBars } from './latency-bars';
import classes from './latency-chart.module.css';

/** How long the last updates of a feed were under way, part by part, with the medians. */
export function LatencyChart({ id, symbol }: { id: string; symbol: string }) {
  return <LatencyFigure symbol={symbol} picture={useLatency(id)} times={useTimeStyle()} />;
}

/** The picture takes its turn in the page's round of drawings. */
function useLatency(id: string): LatencyPicture | undefined {
  const store = useFeedStore();
  const [picture, setPicture] = useState<LatencyPicture>();
  useEffect(() => {
    const log = new LatencyLog();
    let drawn = -1;
    const draw = () => {
      const history = store.history(id);
      if (history.version === drawn) return;
      drawn = history.version;
      setPicture(log.read(history.points()));
    };
    draw();
    return joinDrawing(draw);
  }, [store, id]);
  return picture;
}

/** `picture` undefined: nothing was pushed to this browser yet. */
export function LatencyFigure({
  symbol,
  picture,
  times,
}: {
  symbol: string;
  picture: LatencyPicture | undefined;
  times: TimeStyle;
}) {
  if (picture === undefined) {
    return (
      <p className={classes.nothing}>No update has come live yet; how long it took is shown when one has.</p>
    );
  }
  return (
    <figure className={classes.figure}>
      <LatencyBars picture={picture} label={latencySummaryText(symbol, picture)} />
      <LatencyCaption picture={picture} />
      <LatencyTable symbol={symbol} picture={picture} times={times} />
    </figure>
  );
}

function LatencyCaption({ picture: { summary, offsets } }: { picture: LatencyPicture }) {
  return (
    <figcaption className={classes.caption}>
      <ul className={classes.legend}>
        {summary.medians.map(({ name, ms }) => (
          <li key={name} className={classes.part} data-part={name}>
            <span className={classes.swatch} />
            {latencyPartWords(name)} <span className={classes.figureText}>{latencyPartText(name, ms)}</span>
          </li>
        ))}
        <li className={classes.part}>
          In all <span className={classes.figureText}>{latencyText(summary.medianTotalMs)}</span>
          <span className={classes.soft}>
            (medians of {summary.count}; slowest {latencyText(summary.slowestMs)})
          </span>
        </li>
      </ul>
      <p className={classes.soft}>
        Publish and proof times are whole seconds: parts that touch them are exact to ±1 s.
      </p>
      {clockSentences(offsets).map((sentence) => (
        <p key={sentence} className={classes.clock}>
          {sentence}
        </p>
      ))}
    </figcaption>
  );
}

/** So many updates are read in a table without getting lost. */
const ROWS = 15;

type TableFacts = { symbol: string; picture: LatencyPicture; times: TimeStyle };

function LatencyTable(facts: TableFacts) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={classes.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen ? <OpenTable {...facts} /> : null}
    </details>
  );
}

function OpenTable({ symbol, picture: { updates, summary }, times }: TableFacts) {
  const names = summary.medians.map(({ name }) => name);
  return (
    <table className={classes.table}>
      <caption className="sr-only">
        Latency of the last updates of <bdi>{symbol}</bdi>, newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Received</th>
          {names.map((name) => (
            <th key={name} scope="col">
              {latencyPartWords(name)}
            </th>
          ))}
          <th scope="col">In all</th>
        </tr>
      </thead>
      <tbody>
        {updates
          .slice(-ROWS)
          .reverse()
          .map((update) => (
            <TableRow key={update.turn} update={update} names={names} times={times} />
          ))}
      </tbody>
    </table>
  );
}

function TableRow({
  update,
  names,
  times,
}: {
  update: ShownLatency;
  names: readonly LatencyPartName[];
  times: TimeStyle;
}) {
  return (
    <tr>
      <th scope="row">{clockText(update.atMs, times)}</th>
      {names.map((name) => {
        const part = update.parts.find((one) => one.name === name);
        return <td key={name}>{part === undefined ? '—' : latencyText(part.ms)}</td>;
      })}
      <td>{latencyText(update.totalMs)}</td>
    </tr>
  );
}

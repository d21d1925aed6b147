'use client';
import { pagesStreamFact, streamEndsWords, streamWords } from '@/lib/client/service-words';
import type { HostReport } from '@/lib/contract/codec/service-report';
import classes from './service-panel.module.css';

/** Streams of many programs would bury the panel. */
const MOST_SHOWN = 8;

/** The streams that stand on this host, how long each will, and what became of those before. */
export function ServiceStreams({ host, nowMs }: { host: HostReport; nowMs: number }) {
  const { streams, pagesStream } = host;
  const pages = pagesStream && pagesStreamFact(pagesStream, nowMs);
  const more = streams.standing.length - MOST_SHOWN;
  return (
    <div className={classes.part}>
      <h4 className={classes.partTitle}>Streams</h4>
      <ul className={`${classes.list} num`}>
        {pages === undefined ? null : (
          <li>
            Of our pages:{' '}
            <span className={`${classes.words} foreign`} data-tone={pages.tone}>
              {pages.words}
            </span>
          </li>
        )}
        {streams.standing.slice(0, MOST_SHOWN).map((stream) => (
          <li key={`${stream.openedAtMs} ${stream.feeds}`} data-stream="standing">
            {streamWords(stream, nowMs)}
          </li>
        ))}
        {more > 0 ? <li>And {more} more.</li> : null}
        {streams.standing.length === 0 ? <li>None is open.</li> : null}
        <li className={classes.faint}>Since the start: {streamEndsWords(streams, nowMs)}.</li>
      </ul>
    </div>
  );
}

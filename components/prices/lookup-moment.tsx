'use client';
import { useTimeStyle } from '@/lib/client/time-style';
import { millisToSeconds, type UnixMicros, unixMillis } from '@/lib/domain/units';
import { formatIsoMicros, secondsToMicros } from '@/lib/domain/unix-micros';
import classes from './lookup-moment.module.css';
import { MomentInput } from './moment-input';
import type { ShowPrices } from './use-prices-view';

/** The services know the second that has just begun only a little later. */
const SETTLED_MS = 10_000;

/** The moment of a lookup: now, or one to the microsecond. @param at absent: now */
export function LookupMoment({ at, show }: { at: UnixMicros | undefined; show: ShowPrices }) {
  const style = useTimeStyle();
  const put = (us: UnixMicros | undefined) =>
    show(({ at: _at, ...now }) => (us === undefined ? now : { ...now, at: us }));
  return (
    <fieldset className={classes.moment}>
      <legend className="sr-only">Moment</legend>
      <div className={classes.kinds}>
        <label className={classes.kind}>
          <input type="radio" name="moment" checked={at === undefined} onChange={() => put(undefined)} />
          Now
        </label>
        <label className={classes.kind}>
          <input type="radio" name="moment" checked={at !== undefined} onChange={() => put(justNow())} />
          At a moment
        </label>
      </div>
      {at === undefined ? null : <MomentInput value={formatIsoMicros(at)} style={style} onTake={put} />}
    </fieldset>
  );
}

function justNow(): UnixMicros {
  return secondsToMicros(millisToSeconds(unixMillis(Date.now() - SETTLED_MS)));
}

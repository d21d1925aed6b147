'use client';
import { useState } from 'react';
import { useTimeStyle } from '@/lib/client/time-style';
import { MOST_MOMENTS, type MomentToken, momentsOf } from '@/lib/contract/codec/prices-moments';
import { millisToSeconds, type UnixMicros, unixMillis } from '@/lib/domain/units';
import { formatIsoMicros, secondsToMicros } from '@/lib/domain/unix-micros';
import classes from './lookup-moment.module.css';
import { MomentInput } from './moment-input';
import { MomentsInput } from './moments-input';
import type { ShowPrices } from './use-prices-view';

type Kind = 'now' | 'one' | 'several';

const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: 'now', label: 'Now' },
  { kind: 'one', label: 'At a moment' },
  { kind: 'several', label: 'Several moments' },
];

/** The services know the second that has just begun only a little later. */
const SETTLED_MS = 10_000;

function kindOf(at: readonly MomentToken[]): Kind {
  if (at.length === 0) return 'now';
  return at.length === 1 && at[0]?.kind === 'one' ? 'one' : 'several';
}

/** The moment of a lookup: now, one to the microsecond, or up to 500. */
export function LookupMoment({ at, show }: { at: readonly MomentToken[]; show: ShowPrices }) {
  const said = kindOf(at);
  const [kind, setKind] = useState({ chosen: said, said });
  // Back, or another control, changed the address: the choice follows.
  if (kind.said !== said) setKind({ chosen: said, said });
  const style = useTimeStyle();
  const put = (tokens: readonly MomentToken[]) => show((now) => ({ ...now, at: tokens }));

  function choose(chosen: Kind) {
    setKind({ chosen, said });
    if (chosen === 'now' && said !== 'now') put([]);
    if (chosen === 'one' && said !== 'one') put([{ kind: 'one', us: momentsOf(at).moments[0] ?? justNow() }]);
  }

  return (
    <fieldset className={classes.moment}>
      <legend className="sr-only">Moment</legend>
      <div className={classes.kinds}>
        {KINDS.map((one) => (
          <label key={one.kind} className={classes.kind}>
            <input
              type="radio"
              name="moment"
              checked={kind.chosen === one.kind}
              onChange={() => choose(one.kind)}
            />
            {one.label}
          </label>
        ))}
      </div>
      {kind.chosen === 'one' ? (
        <MomentInput value={oneOf(at)} style={style} onTake={(us) => put([{ kind: 'one', us }])} />
      ) : null}
      {kind.chosen === 'several' ? (
        <MomentsInput at={at} most={MOST_MOMENTS} onTake={put} nowUs={justNow} />
      ) : null}
    </fieldset>
  );
}

function oneOf(at: readonly MomentToken[]): string {
  const [first] = at;
  return first?.kind === 'one' ? formatIsoMicros(first.us) : '';
}

function justNow(): UnixMicros {
  return secondsToMicros(millisToSeconds(unixMillis(Date.now() - SETTLED_MS)));
}

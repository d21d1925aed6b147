'use client';
import { useState } from 'react';
import { clipped } from '@/lib/client/foreign-text';
import {
  type MomentToken,
  momentsOf,
  momentTokenText,
  parseMomentToken,
} from '@/lib/contract/codec/prices-moments';
import { type UnixMicros, unixMicros } from '@/lib/domain/units';
import classes from './lookup-moment.module.css';

const HOUR_US = 3_600_000_000n;

const PRESETS: readonly { label: string; spanUs: bigint; everyS: number }[] = [
  { label: 'Last 5 min, every second', spanUs: HOUR_US / 12n, everyS: 1 },
  { label: 'Last hour, every minute', spanUs: HOUR_US, everyS: 60 },
  { label: 'Last day, every hour', spanUs: 24n * HOUR_US, everyS: 3600 },
];

/** The moments of a text, one token or more in a line, and the first thing that is none. */
function readTokens(text: string): { tokens: MomentToken[]; refused?: { text: string; problem: string } } {
  const tokens: MomentToken[] = [];
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const token = parseMomentToken(part);
    if ('problem' in token) return { tokens, refused: { text: part, problem: token.problem } };
    tokens.push(token);
  }
  return { tokens };
}

function countNote(moments: number, left: bigint, most: number): string {
  const count = left > 0n ? `${moments} of ${BigInt(moments) + left}` : String(moments);
  return `${count} ${moments === 1 ? 'moment' : 'moments'}; at most ${most} are looked up.`;
}

/** Up to 500 moments: a list, or series at even distances. */
export function MomentsInput({
  at,
  most,
  onTake,
  nowUs,
}: {
  at: readonly MomentToken[];
  most: number;
  onTake: (tokens: readonly MomentToken[]) => void;
  nowUs: () => UnixMicros;
}) {
  const shown = at.map(momentTokenText).join('\n');
  const [draft, setDraft] = useState({ text: shown, seen: shown });
  // Back, or a preset, changed what the address says: the field follows.
  if (draft.seen !== shown) setDraft({ text: shown, seen: shown });
  const { tokens, refused } = readTokens(draft.text);
  const { moments, left } = momentsOf(tokens);
  const note =
    refused === undefined
      ? countNote(moments.length, left, most)
      : `“${clipped(refused.text, 60)}”: ${refused.problem}`;
  return (
    <div className={classes.several}>
      <label className={classes.label}>
        Moments, one per line, or from/to/step
        <textarea
          className={classes.area}
          rows={4}
          value={draft.text}
          spellCheck={false}
          aria-invalid={refused !== undefined}
          aria-describedby="lookup-moments-note"
          placeholder="2026-11-20T12:00:00Z/2026-11-20T13:00:00Z/60s"
          onChange={(event) => setDraft({ text: event.currentTarget.value, seen: shown })}
        />
      </label>
      <p id="lookup-moments-note" className={classes.note} data-refused={refused ? 'yes' : undefined}>
        {note}
      </p>
      <div className={classes.presets}>
        <button
          type="button"
          className="small-button"
          disabled={tokens.length === 0 || refused !== undefined || draft.text === shown}
          onClick={() => onTake(tokens)}
        >
          Use these moments
        </button>
        <Presets onTake={onTake} nowUs={nowUs} />
      </div>
    </div>
  );
}

function Presets({
  onTake,
  nowUs,
}: {
  onTake: (tokens: readonly MomentToken[]) => void;
  nowUs: () => UnixMicros;
}) {
  return PRESETS.map(({ label, spanUs, everyS }) => (
    <button
      key={label}
      type="button"
      className="small-button"
      onClick={() => {
        const toUs = nowUs();
        onTake([{ kind: 'series', fromUs: unixMicros(toUs - spanUs), toUs, everyS }]);
      }}
    >
      {label}
    </button>
  ));
}

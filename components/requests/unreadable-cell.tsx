'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { groupDigits } from '@/lib/core/numbers';
import type { UnreadableRow } from '@/lib/core/request-record';
import { clipped } from '@/lib/core/text';
import classes from './unreadable-cell.module.css';

/** As much JSON as anybody reads in a table; the whole of it can be copied. */
const SHOWN_UNITS = 10_000;

/** A row that is no request: why not, and its JSON to look at. */
export function UnreadableCell({ row }: { row: UnreadableRow }) {
  const left = row.rawJson.length - SHOWN_UNITS;
  return (
    <details className={classes.unreadable}>
      <summary className={classes.summary}>
        <span className={classes.badge}>
          <Icon name="broken" size={13} />
          unreadable
        </span>
        <span>{row.problem}</span>
        <span className={classes.hint}>JSON</span>
      </summary>
      <div className={classes.json}>
        <CopyButton value={row.rawJson} label="Copy the JSON of this row" />
        <pre className="foreign">{clipped(row.rawJson, SHOWN_UNITS)}</pre>
      </div>
      {left > 0 ? (
        <p className={classes.hint}>{groupDigits(String(left))} more characters are copied, not shown.</p>
      ) : null}
    </details>
  );
}

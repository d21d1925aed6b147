'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { clipped } from '@/lib/client/foreign-text';
import { groupDigits } from '@/lib/client/human-number';
import { formatAge } from '@/lib/client/human-time';
import { surpriseWord } from '@/lib/client/service-words';
import { SURPRISE_KINDS, type Surprise, type SurpriseReport } from '@/lib/domain/schema-surprises';
import classes from './service-panel.module.css';

/** What its answers hold that the contract does not know, with an example of each. */
export function ServiceSurprises({
  surprises: { surprises, others },
  nowMs,
}: {
  surprises: SurpriseReport;
  nowMs: number;
}) {
  if (surprises.length === 0) return <p className={classes.faint}>No surprise in the form of its answers.</p>;
  const counted = SURPRISE_KINDS.filter((kind) => others[kind] > 0);
  return (
    <details className={classes.part}>
      <summary className={classes.partTitle}>
        Surprises in the form of its answers: {surprises.length}
        {counted.length > 0 ? ' and more' : ''}
      </summary>
      <ul className={classes.list}>
        {surprises.map((surprise) => (
          <SurpriseLine key={`${surprise.kind} ${surprise.name}`} surprise={surprise} nowMs={nowMs} />
        ))}
        {counted.map((kind) => (
          <li key={kind} className={classes.faint}>
            {surpriseWord(kind)}: {groupDigits(String(others[kind]))} sightings under further names
          </li>
        ))}
      </ul>
    </details>
  );
}

function SurpriseLine({ surprise, nowMs }: { surprise: Surprise; nowMs: number }) {
  const { kind, name, count, lastAtMs, example } = surprise;
  return (
    <li data-surprise={kind}>
      <p>
        {surpriseWord(kind)} <bdi className="mono foreign">{clipped(name, 120)}</bdi>
        <span className="num">
          , met {groupDigits(String(count))} {count === 1 ? 'time' : 'times'}, last{' '}
          {formatAge(nowMs - lastAtMs)} ago
        </span>
        <CopyButton value={example} label={`Copy the example of ${clipped(name, 60)}`} />
      </p>
      <pre className={`${classes.example} foreign`}>{clipped(example, 200)}</pre>
    </li>
  );
}

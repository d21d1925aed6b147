import type { DiagnosisSettings } from '@/lib/domain/diagnosis/diagnosis-settings';
import { keeperActivity } from '@/lib/domain/diagnosis/keeper-activity';
import { spanText } from '@/lib/domain/diagnosis/span-text';
import { clockScale } from './clock-scale';
import classes from './verdict-clock.module.css';

/**
 * How old a pending request is beside the time for which its keeper retries, and what the keeper is probably doing.
 * Whoever shows it lets it tick, by giving another age.
 */
export function RetryClock({
  age,
  settings,
}: {
  /** Milliseconds, and the same for people (`5 min 12 s`). */
  age: { ms: number; text: string };
  settings: DiagnosisSettings;
}) {
  const { kind, text } = keeperActivity(age.ms, settings);
  const budget = spanText(settings.retryBudgetS * 1000);
  return (
    <div className={classes.clock} data-activity={kind}>
      <p className={classes.words}>
        <strong className="num">{age.text}</strong>{' '}
        <span className={classes.soft}>old, of a retry budget of {budget}</span>
      </p>
      <ClockBar ageMs={age.ms} settings={settings} />
      <p>{text}.</p>
      <p className={classes.origin}>
        {settings.origin === 'usual'
          ? 'By the keeper’s usual settings.'
          : 'By the settings of this dashboard for this network.'}
      </p>
    </div>
  );
}

/** From 0 to the retry budget and beyond: what it says stands in words around it. */
function ClockBar({ ageMs, settings }: { ageMs: number; settings: DiagnosisSettings }) {
  const { stretches, ticks, place, beyond } = clockScale(ageMs, settings);
  return (
    <div className={classes.scale} aria-hidden="true">
      <div className={classes.bar}>
        {stretches.map(({ kind, width }) => (
          <div key={kind} className={classes.stretch} data-kind={kind} style={{ width: `${width}%` }} />
        ))}
        <div className={classes.done} style={{ width: `${place}%` }} />
        <div className={classes.hand} data-beyond={beyond} style={{ insetInlineStart: `${place}%` }} />
      </div>
      <div className={classes.ticks}>
        {ticks.map(({ label, at }) => (
          <span key={label} className="num" style={{ insetInlineStart: `${at}%` }}>
            {label}
          </span>
        ))}
      </div>
    </div>
  );
}

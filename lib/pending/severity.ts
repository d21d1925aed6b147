import type { Severity } from './pending-response';

/** Colours of severities, as tones of `tokens.css`. They are assigned only here. */
const TONES = { none: 'good', notice: 'wait', warning: 'warn', critical: 'bad' } as const;

/** Tone in which a severity is shown. */
export const severityTone = (severity: Severity) => TONES[severity];

const SEVERITIES = { bad: 'critical', warning: 'warning', notice: 'notice' } as const;

/** Severity that corresponds to the level of a problem on the overview. */
export const severityOfLevel = (level: keyof typeof SEVERITIES): Severity => SEVERITIES[level];

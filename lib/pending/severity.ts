import type { Severity } from './pending-response';

/** Colours of severities, as tones of `tokens.css`: the only place that pairs them. */
const TONES = { none: 'good', notice: 'wait', warning: 'warn', critical: 'bad' } as const;

/** Tone of a severity, wherever one is shown. */
export const severityTone = (severity: Severity) => TONES[severity];

const SEVERITIES = { bad: 'critical', warning: 'warning', notice: 'notice' } as const;

/** Severity of a problem of the overview. */
export const severityOfLevel = (level: keyof typeof SEVERITIES): Severity => SEVERITIES[level];

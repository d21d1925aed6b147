import type { Severity } from './pending-response';

const TONES = { none: 'good', notice: 'wait', warning: 'warn', critical: 'bad' } as const;

export const severityTone = (severity: Severity) => TONES[severity];

const SEVERITIES = { bad: 'critical', warning: 'warning', notice: 'notice' } as const;

/** Severity for the level of a problem on the overview. */
export const severityOfLevel = (level: keyof typeof SEVERITIES): Severity => SEVERITIES[level];

import 'server-only';
import type { ClockOff } from '@/lib/contract/codec/listing';
import {
  MOST_INCIDENT_KEYS,
  MOST_INCIDENTS,
  MOST_PROOF_KEYS,
  MOST_SINGLES,
  type TriageAnswer,
  type TriageCounts,
} from '@/lib/contract/codec/triage';
import { type DiagnosisSettings, settingsWith } from '@/lib/domain/diagnosis/diagnosis-settings';
import type { Incident, SingleStuck } from '@/lib/domain/diagnosis/incident';
import type { Verdict } from '@/lib/domain/diagnosis/verdict';
import type { Settings } from '@/lib/server/env';
import { thresholdsOf } from '@/lib/server/pending-settings';
import type { TriageNow } from './pending-triage';

/** The incidents that somebody reads first carry all that fits; of hundreds, the others just enough to be told apart. */
const FIRST_INCIDENTS = 20;
const FEW_KEYS = 20;
const FEW_PROOF_KEYS = 3;

/**
 * @param clocks of the keepers, those that are not ours
 * @param most incidents and single cases at most, without the silence table; undefined: as many as an answer may have
 */
export function triageAnswer(
  now: TriageNow,
  settings: Pick<Settings, 'networks' | 'pending'>,
  clocks: ClockOff[],
  most?: number,
): TriageAnswer {
  const { revision, atMs, state, index, triage, silence, standing } = now;
  const { unchecked, checkedAtMs } = triage;
  return {
    revision,
    atMs,
    state,
    ...(checkedAtMs === undefined || unchecked.length > 0 ? {} : { checkedAtMs }),
    index,
    clocks,
    standing,
    counts: countsOf(now),
    incidents: triage.incidents.slice(0, most ?? MOST_INCIDENTS).map(shortIncident),
    singles: triage.singles.slice(0, most ?? MOST_SINGLES).map(shortSingle),
    silence: most === undefined ? silence : [],
    settings: thresholdsFor(settings),
  };
}

function countsOf({ triage, gone }: TriageNow): TriageCounts {
  const { incidents, singles, slow, withinNormal, pending, missing, unreadable } = triage;
  return {
    pending,
    stuck: incidents.reduce((sum, { size }) => sum + size, singles.length),
    slow: slow.length,
    withinNormal: withinNormal.length,
    incidents: incidents.length,
    singles: singles.length,
    missing,
    unreadable,
    gone,
  };
}

function shortSingle(single: SingleStuck, index: number): SingleStuck {
  return {
    ...single,
    verdicts: withProof(single.verdicts, index < FIRST_INCIDENTS ? MOST_PROOF_KEYS : FEW_PROOF_KEYS),
  };
}

function withProof(verdicts: readonly Verdict[], keys: number): Verdict[] {
  return verdicts.map((verdict) => ({ ...verdict, proof: verdict.proof.slice(0, keys) }));
}

function shortIncident(incident: Incident, index: number): Incident {
  const isFirst = index < FIRST_INCIDENTS;
  return {
    ...incident,
    rows: incident.rows.slice(0, isFirst ? MOST_INCIDENT_KEYS : FEW_KEYS),
    verdicts: withProof(incident.verdicts, isFirst ? MOST_PROOF_KEYS : FEW_PROOF_KEYS),
  };
}

function thresholdsFor(settings: Pick<Settings, 'networks' | 'pending'>): TriageAnswer['settings'] {
  const own = Object.keys(settings.networks).filter((id) => settings.networks[id]?.thresholds !== undefined);
  const networks: Record<string, DiagnosisSettings> = {};
  for (const id of own) networks[id] = thresholdsOf(settings, id);
  return { others: settingsWith(settings.pending), networks };
}

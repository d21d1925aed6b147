import type { Sighted } from '@/lib/alerts/history';
import type { IncidentRecord } from '@/lib/core/incident-record';
import { MINUTE_MS } from '@/lib/core/time';
import { anomalyText } from '@/lib/insights/anomaly';
import { keeperWords } from '@/lib/insights/incident-problems';
import type { Anomaly, NetworkInsight } from '@/lib/insights/insights-response';
import type { Severity } from '@/lib/pending/pending-response';
import { severityOfLevel } from '@/lib/pending/severity';
import { RETIRED_AFTER_MS } from '@/lib/requests/keeper-status';

/** The history records the unusual networks that `/pending` lists. */

/** The recorded value; of shares, failures per thousand. */
const recordedValue = ({ kind, value }: Pick<Anomaly, 'kind' | 'value'>): number =>
  Math.round(kind === 'failing' || kind === 'callbacks-failing' ? value * 1000 : value);

/** Size of an anomaly: larger is worse. A silent network has nothing to compare. */
const sizeOf = (anomaly: Anomaly) => (anomaly.kind === 'silent' ? 0 : recordedValue(anomaly));

/** An id in the form of an incident's. */
const degradedId = (keeper: string, networkId: string, kind: Anomaly['kind']) =>
  `${encodeURIComponent(keeper)}/${networkId}/degraded/${kind}`;

type Compared = Pick<NetworkInsight, 'keeper' | 'networkId' | 'lastUs' | 'unusual'>;

type Context = {
  /** Start, unix ms, of a problem whose start was not looked up. */
  nowMs: number;
  /** Open records of degraded networks. */
  open: readonly IncidentRecord[];
  /** How far the clock of a keeper, which dates its requests, is ahead of ours. */
  clockAheadMs: (keeper: string) => number;
  /** Whether an incident already records that a network stands still. */
  isStopped: (keeper: string, networkId: string) => boolean;
};

/** Each network has its own records, also those that one line of many networks reports. */
export function sightedNetworks(
  networks: readonly Compared[],
  { nowMs, open, clockAheadMs, isStopped }: Context,
): Sighted[] {
  const opened = new Set(open.map(({ id }) => id));
  const sighted = networks.flatMap(({ keeper, networkId, unusual }) =>
    unusual.flatMap((anomaly): Sighted[] => {
      const { kind, level, sinceUs } = anomaly;
      const id = degradedId(keeper, networkId, kind);
      const isRecorded = kind === 'silent' && !opened.has(id) && isStopped(keeper, networkId);
      if (level === 'notice' || isRecorded) return [];
      const { text, detail } = anomalyText(anomaly);
      return [
        {
          id,
          keeper,
          networkId,
          rule: kind,
          severity: severityOfLevel(level),
          size: sizeOf(anomaly),
          sinceMs: sinceUs === null ? nowMs : Math.floor(sinceUs / 1000) - clockAheadMs(keeper),
          verdicts: [{ headline: `${text}${keeperWords(keeper, networkId, { networks })}. ${detail}` }],
        },
      ];
    }),
  );
  return [
    ...sighted,
    ...stillSilent(networks, { nowMs, open, clockAheadMs }, new Set(sighted.map(({ id }) => id))),
  ];
}

/** A silence lasts until a row arrives or its network counts as retired, also if it is no longer compared. */
function stillSilent(
  networks: readonly Compared[],
  { nowMs, open, clockAheadMs }: Omit<Context, 'isStopped'>,
  sighted: ReadonlySet<string>,
): Sighted[] {
  return open.flatMap(
    ({ id, keeper, networkId, rules: [rule = ''], headline, sinceMs, severity }): Sighted[] => {
      const network = networks.find(
        (network) => network.keeper === keeper && network.networkId === networkId,
      );
      const aheadMs = clockAheadMs(keeper);
      const lastMs = network === undefined ? undefined : Math.floor(network.lastUs / 1000) - aheadMs;
      // The estimate of a clock varies.
      const toleranceMs = aheadMs === 0 ? 0 : MINUTE_MS;
      const hasNewRow = lastMs !== undefined && lastMs > sinceMs + toleranceMs;
      const isRetired = nowMs - sinceMs > RETIRED_AFTER_MS;
      if (rule !== 'silent' || sighted.has(id) || hasNewRow || isRetired) return [];
      const members = { id, keeper, networkId, rule, sinceMs, size: 0 };
      return [{ ...members, severity: severity as Severity, verdicts: [{ headline }] }];
    },
  );
}

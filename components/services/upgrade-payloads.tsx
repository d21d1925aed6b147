import Link from 'next/link';
import { CopyButton } from '@/components/ui/copy-button';
import { Icon } from '@/components/ui/icons';
import { inspectBesideCheck, type UpgradeView } from '@/lib/contract/codec/upgrade-check-url';
import type { FeedId } from '@/lib/domain/feed';
import { formatIsoSeconds, secondsToMillis } from '@/lib/domain/units';
import type { UpgradeEvidence, UpgradePair } from '@/lib/domain/upgrade-check';
import type { UpgradePayload } from '@/lib/domain/upgrade-check-payload';
import { UPGRADE_ROUTE_NAMES } from '@/lib/domain/upgrade-check-reasons';
import type { HostGeneration, UpgradeHost } from '@/lib/domain/upgrade-check-verdict';
import { UpgradeTable } from './upgrade-table';
import classes from './upgrade-tables.module.css';
import { GENERATION_WORDS, generationLabel, HOST_WORDS } from './upgrade-words';

const HOSTS: readonly UpgradeHost[] = ['old', 'upgraded'];
const SERVICE = { old: 'updates', upgraded: 'upgraded' } as const;
const COLUMNS = ['Route', 'Host', 'Generation', 'Payload', 'Told by'];

type Row = { pair: UpgradePair; host: UpgradeHost; payloads: readonly UpgradePayload[] };

function rowsOf({ pairs }: UpgradeEvidence): Row[] {
  return pairs.flatMap((pair) =>
    HOSTS.flatMap((host): Row[] => {
      const side = pair[host];
      const payloads = side.kind === 'answered' ? side.payloads : [];
      return payloads.length === 0 ? [] : [{ pair, host, payloads }];
    }),
  );
}

/** Every payload that came, labelled with its generation and ready to be submitted. */
export function UpgradePayloads({
  evidence,
  view,
  nameOf,
}: {
  evidence: UpgradeEvidence;
  view: UpgradeView;
  nameOf: (id: FeedId) => string;
}) {
  const rows = rowsOf(evidence);
  if (rows.length === 0) return null;
  return (
    <UpgradeTable
      id="upgrade-payloads"
      title="Payloads"
      name="Payloads"
      aside={
        <>
          <span className={classes.aside}>Of both hosts, for those who submit whichever verifies.</span>
          <span className={classes.aside}>All of them, labelled, as JSON:</span>
          <CopyButton
            value={labelledJson(evidence, rows)}
            label="Copy all payloads with their labels, as JSON"
          />
        </>
      }
      columns={COLUMNS}
    >
      {rows.map((row) => (
        <PayloadRow
          key={`${row.pair.path} ${row.host}`}
          row={row}
          evidence={evidence}
          view={view}
          nameOf={nameOf}
        />
      ))}
    </UpgradeTable>
  );
}

type RowProps = {
  row: Row;
  evidence: UpgradeEvidence;
  view: UpgradeView;
  nameOf: (id: FeedId) => string;
};

function PayloadRow({ row, evidence, view, nameOf }: RowProps) {
  const { pair, host, payloads } = row;
  const generation = generationLabel(payloads.map((payload) => payload.generation));
  const isBroken = payloads.some(({ standing }) => standing === 'broken');
  const reasons = [...new Set(payloads.flatMap((payload) => payload.reasons))];
  const at = pair.route === 'at-time' || pair.route === 'deprecated' ? evidence.at : 'latest';
  const ids = pair.feed === undefined ? evidence.ids : [pair.feed];
  return (
    <tr>
      <th scope="row">
        {UPGRADE_ROUTE_NAMES[pair.route]}
        {pair.feed === undefined ? null : <bdi className={classes.below}>{nameOf(pair.feed)}</bdi>}
      </th>
      <td>{HOST_WORDS[host]}</td>
      <td data-generation={isBroken ? 'broken' : generation}>
        <span className={classes.word}>
          <Icon name={isBroken ? 'broken' : GENERATION_ICONS[generation]} size={13} />
          {isBroken ? 'Broken' : GENERATION_WORDS[generation]}
        </span>
      </td>
      <td>
        <span className={classes.word}>
          <CopyPayloads row={row} generation={generation} />
          <Link href={inspectBesideCheck(view, { host: SERVICE[host], at, ids })}>
            {at === 'latest' ? 'Inspect newest' : 'Inspect'}
          </Link>
        </span>
      </td>
      <td className={classes.wrap}>{reasons.join(' ')}</td>
    </tr>
  );
}

function CopyPayloads({
  row: { pair, host, payloads },
  generation,
}: {
  row: Row;
  generation: HostGeneration;
}) {
  const label = `${HOST_WORDS[host].toLowerCase()}, ${GENERATION_WORDS[generation].toLowerCase()}`;
  const number = (index: number) => (payloads.length > 1 ? `${index + 1} ` : '');
  return payloads.map(({ data }, index) => (
    <CopyButton
      key={data}
      value={`0x${data}`}
      label={`Copy payload ${number(index)}of ${UPGRADE_ROUTE_NAMES[pair.route]} (${label})`}
    />
  ));
}

const GENERATION_ICONS = {
  'before-upgrade': 'clock',
  upgraded: 'check',
  mixed: 'alert',
  unknown: 'question',
  none: 'dash',
} as const;

/** All payloads in one text that explains itself. */
function labelledJson({ at, askedAtMs, ids }: UpgradeEvidence, rows: readonly Row[]): string {
  const payloads = rows.flatMap((row) =>
    row.payloads.map(({ data, generation }) => ({
      host: SERVICE[row.host],
      route: row.pair.route,
      generation,
      data: `0x${data}`,
    })),
  );
  const asked = formatIsoSeconds(askedAtMs);
  return JSON.stringify({ asked, at: formatIsoSeconds(secondsToMillis(at)), feeds: ids, payloads }, null, 1);
}

import { Icon } from '@/components/ui/icons';
import { useSteadyWords } from '@/lib/client/time-style';
import type { FeedId, FeedUpdate } from '@/lib/domain/feed';
import { formatScaled } from '@/lib/domain/scaled-number';
import { formatIsoSeconds, secondsToMillis, type UnixSeconds } from '@/lib/domain/units';
import type { UpgradeFinding } from '@/lib/domain/upgrade-check';
import type { FeedAgreement } from '@/lib/domain/upgrade-check-prices';
import { UPGRADE_ROUTE_NAMES } from '@/lib/domain/upgrade-check-reasons';
import { UpgradeTable } from './upgrade-table';
import classes from './upgrade-tables.module.css';
import { AGREEMENT_ICONS, AGREEMENT_WORDS } from './upgrade-words';

const COLUMNS = ['Feed', 'Route', 'Old host', 'Upgraded host', 'Published', 'Difference'];

/** The prices of both hosts side by side, every digit, and how far they are apart. */
export function UpgradePrices({
  findings,
  at,
  nameOf,
}: {
  findings: readonly UpgradeFinding[];
  at: UnixSeconds;
  nameOf: (id: FeedId) => string;
}) {
  const rows = findings.flatMap(({ pair, agreements }) =>
    agreements.map((agreement) => ({ route: pair.route, agreement })),
  );
  const words = useSteadyWords();
  if (rows.length === 0) return null;
  return (
    <UpgradeTable
      id="upgrade-prices"
      title="Prices"
      name="Prices of both hosts"
      aside={
        <span className={classes.aside}>
          “At a time” asks both for the first update from{' '}
          <time dateTime={formatIsoSeconds(secondsToMillis(at))}>{words(secondsToMillis(at))}</time>. Combined
          confidence: the sum of both.
        </span>
      }
      columns={COLUMNS}
    >
      {rows.map(({ route, agreement }) => (
        <tr key={`${agreement.id} ${route}`}>
          <th scope="row">
            <bdi>{nameOf(agreement.id)}</bdi>
          </th>
          <td>{UPGRADE_ROUTE_NAMES[route]}</td>
          <Price update={agreement.old} />
          <Price update={agreement.upgraded} />
          <td>{publishedWords(agreement, words)}</td>
          <Difference agreement={agreement} />
        </tr>
      ))}
    </UpgradeTable>
  );
}

function Price({ update }: { update: FeedUpdate }) {
  return (
    <td className="num">
      {formatScaled(update.price)}
      <span className={classes.below}>± {formatScaled(update.conf)}</span>
    </td>
  );
}

function publishedWords({ old, laterS }: FeedAgreement, words: (ms: number) => string): string {
  const at = words(secondsToMillis(old.publishTime));
  if (laterS === 0) return `${at}, both`;
  return `${at}; upgraded ${Math.abs(laterS)} s ${laterS > 0 ? 'later' : 'earlier'}`;
}

function Difference({ agreement: { standing, prices, differing } }: { agreement: FeedAgreement }) {
  const bps = prices.differenceBps === undefined ? '' : ` (${formatScaled(prices.differenceBps)} bps)`;
  const combined =
    prices.combined === undefined ? '' : `, combined confidence ${formatScaled(prices.combined)}`;
  const isOther = standing === 'other-moment';
  return (
    <td data-agreement={standing} className={classes.wrap}>
      <span className={classes.word}>
        <Icon name={AGREEMENT_ICONS[standing]} size={13} />
        {AGREEMENT_WORDS[standing]}
      </span>
      {standing === 'equal' ? null : (
        <span className={`${classes.below} num`}>
          {formatScaled(prices.difference)}
          {bps}
          {combined}
          {isOther ? '' : `; differs in ${differing.join(', ')}`}
        </span>
      )}
    </td>
  );
}

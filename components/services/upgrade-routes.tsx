import { Icon } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import type { FeedId } from '@/lib/domain/feed';
import type { UpgradeFinding, UpgradeSide } from '@/lib/domain/upgrade-check';
import { UPGRADE_ROUTE_NAMES } from '@/lib/domain/upgrade-check-reasons';
import type { ShapeDifference } from '@/lib/domain/upgrade-check-shape';
import { UpgradeTable } from './upgrade-table';
import classes from './upgrade-tables.module.css';
import { SHAPE_WORDS } from './upgrade-words';

const COLUMNS = ['Route', 'Old host', 'Upgraded host', 'Form'];

/** What each route answered on either host, and where the answers differ in form. */
export function UpgradeRoutes({
  findings,
  nameOf,
}: {
  findings: readonly UpgradeFinding[];
  nameOf: (id: FeedId) => string;
}) {
  return (
    <UpgradeTable
      id="upgrade-routes"
      title="Routes"
      name="Routes"
      aside={
        <span className={classes.aside}>Answers compared member by member: names, nesting and types.</span>
      }
      columns={COLUMNS}
    >
      {findings.map(({ pair, differences }) => (
        <tr key={pair.path}>
          <th scope="row">
            {UPGRADE_ROUTE_NAMES[pair.route]}
            {pair.feed === undefined ? null : <bdi className={classes.below}>{nameOf(pair.feed)}</bdi>}
          </th>
          <Side side={pair.old} />
          <Side side={pair.upgraded} />
          <Form
            differences={differences}
            compared={pair.old.kind === 'answered' && pair.upgraded.kind === 'answered' ? 'yes' : undefined}
          />
        </tr>
      ))}
    </UpgradeTable>
  );
}

function Side({ side }: { side: UpgradeSide }) {
  if (side.kind === 'answered') {
    return (
      <td data-answer="yes">
        <span className={classes.word}>
          <Icon name="check" size={13} />
          answered in {side.tookMs} ms
        </span>
      </td>
    );
  }
  const { title, said } = explainFailure(side.failure);
  return (
    <td data-answer={side.kind === 'skipped' ? 'skipped' : 'no'} className={classes.wrap}>
      <span className={classes.word}>
        <Icon name={side.kind === 'skipped' ? 'dash' : 'cross'} size={13} />
        <span>
          {side.kind === 'skipped' ? 'not asked: ' : ''}
          {title}
          {said === undefined ? null : (
            <>
              {': '}
              <q className="foreign">{said}</q>
            </>
          )}
        </span>
      </span>
    </td>
  );
}

function Form({
  differences,
  compared,
}: {
  differences: readonly ShapeDifference[];
  compared: 'yes' | undefined;
}) {
  if (compared === undefined) return <td>not compared</td>;
  if (differences.length === 0) {
    return (
      <td data-answer="yes">
        <span className={classes.word}>
          <Icon name="check" size={13} />
          the same
        </span>
      </td>
    );
  }
  return (
    <td className={classes.wrap}>
      <ul className={classes.differences}>
        {differences.map(({ kind, path, old, upgraded }) => (
          <li key={path} data-kind={kind}>
            <code className="foreign">{clipped(path, 80)}</code> {SHAPE_WORDS[kind]}
            <span className={classes.aside}> {typeWords(old, upgraded)}</span>
          </li>
        ))}
      </ul>
    </td>
  );
}

function typeWords(old: readonly string[], upgraded: readonly string[]): string {
  const list = (types: readonly string[]) => types.join(' or ');
  if (old.length === 0) return `(${list(upgraded)})`;
  return upgraded.length === 0 ? `(${list(old)})` : `(${list(old)} → ${list(upgraded)})`;
}

import { Icon } from '@/components/ui/icons';
import cards from '@/components/ui/toned-card.module.css';
import { VerdictSeverity } from '@/components/ui/verdict-severity';
import { SEVERITY_ICONS, SEVERITY_WORDS } from '@/components/ui/verdict-words';
import {
  UPGRADE_CANNOT_BE_KNOWN,
  type UpgradeHost,
  type UpgradeReason,
  type UpgradeVerdict,
} from '@/lib/domain/upgrade-check-verdict';
import classes from './upgrade-verdict.module.css';
import { CONTRACT_WORDS, FIT_ICONS, FIT_WORDS, GENERATION_WORDS, HOST_WORDS } from './upgrade-words';

const HOSTS: readonly UpgradeHost[] = ['old', 'upgraded'];

/** The one sentence, what it rests on, and what follows from it for a client. */
export function UpgradeVerdictCard({ verdict }: { verdict: UpgradeVerdict }) {
  const { severity, title, reasons, missing } = verdict;
  return (
    <article
      className={`${cards.card} ${cards.stack}`}
      data-severity={severity}
      data-standing={severity === 'none' ? 'calm' : undefined}
      aria-label="Verdict of the upgrade check"
    >
      <div className={cards.head}>
        <VerdictSeverity severity={severity} />
        <strong className={classes.title}>{title}.</strong>
      </div>
      <Reasons reasons={reasons} />
      <Clients verdict={verdict} />
      <div className={classes.limits}>
        <List title="Not part of this check" lines={missing} />
        <List title="What can’t be known from here" lines={UPGRADE_CANNOT_BE_KNOWN} />
      </div>
    </article>
  );
}

function Reasons({ reasons }: { reasons: readonly UpgradeReason[] }) {
  return (
    <ul aria-label="Reasons" className={classes.reasons}>
      {reasons.map(({ severity, words }) => (
        <li key={words} data-severity={severity}>
          <Icon name={SEVERITY_ICONS[severity]} size={13} />
          <span>
            <span className="sr-only">{SEVERITY_WORDS[severity]}: </span>
            {words}.
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Which host's payloads verify where. */
function Clients({ verdict: { fits, advice, generations } }: { verdict: UpgradeVerdict }) {
  return (
    <table className={classes.clients} aria-label="What it means for a client">
      <thead>
        <tr>
          <th scope="col">A client with the</th>
          {HOSTS.map((host) => (
            <th key={host} scope="col">
              {HOST_WORDS[host]}
              <span className={classes.generation}>{GENERATION_WORDS[generations[host]]}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {HOSTS.map((contract) => (
          <tr key={contract}>
            <th scope="row">
              {CONTRACT_WORDS[contract]}
              <span className={classes.advice}>{advice[contract]}</span>
            </th>
            {fits
              .filter((fit) => fit.contract === contract)
              .map(({ host, verifies }) => (
                <td key={host} data-fit={verifies}>
                  <span className={classes.fit}>
                    <Icon name={FIT_ICONS[verifies]} size={13} />
                    {FIT_WORDS[verifies]}
                  </span>
                </td>
              ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function List({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <details className={classes.list}>
      <summary>
        {title} ({lines.length})
      </summary>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}.</li>
        ))}
      </ul>
    </details>
  );
}

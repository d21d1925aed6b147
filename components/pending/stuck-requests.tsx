'use client';
import dynamic from 'next/dynamic';
import Link from 'next/link';
import { useId } from 'react';
import { Icon } from '@/components/ui/icons';
import card from '@/components/ui/toned-card.module.css';
import { VerdictSeverity } from '@/components/ui/verdict-severity';
import { clipped, shortened } from '@/lib/client/foreign-text';
import { groupDigits, groupDigitsBriefly } from '@/lib/client/human-number';
import { requestOfKey } from '@/lib/contract/codec/triage';
import type { SingleStuck } from '@/lib/domain/diagnosis/incident';
import { linkOfKey } from '@/lib/requests/request-address';
import { Age } from './age';
import { SingleWatch } from './incident-watch';
import { usePendingPlace } from './pending-context';
import { EstimateNote, RuleSentence } from './rule-sentence';
import classes from './stuck-requests.module.css';

const loadDiagnosis = () => import('./request-diagnosis').then((part) => part.RequestDiagnosis);
const RequestDiagnosis = dynamic(loadDiagnosis, {
  ssr: false,
  loading: () => <p className={classes.loading}>Loading the diagnosis…</p>,
});

type Props = {
  singles: readonly SingleStuck[];
  /** How many there are. */
  of: number;
  openKey: string | undefined;
  onOpen: (key: string | undefined) => void;
};

/** Stuck requests that share no cause with others. Opened, each has its whole diagnosis here. */
export function StuckRequests({ singles, of, openKey, onOpen }: Props) {
  return (
    <>
      <ul className={classes.list}>
        {singles.map((single) => (
          <Single
            key={single.key}
            single={single}
            open={single.key === openKey ? 'yes' : undefined}
            onToggle={() => onOpen(single.key === openKey ? undefined : single.key)}
          />
        ))}
      </ul>
      {singles.length < of ? (
        <p className={classes.soft}>
          The oldest {groupDigits(String(singles.length))} of {groupDigits(String(of))}.
        </p>
      ) : null}
    </>
  );
}

type SingleProps = { single: SingleStuck; open: 'yes' | undefined; onToggle: () => void };

function Single({ single, open, onToggle }: SingleProps) {
  const detailsId = useId();
  const { key, rule, verdicts, sinceMs, severity } = single;
  const request = requestOfKey(key);
  return (
    <li
      className={`${card.card} ${card.stack} ${classes.single}`}
      data-single={key}
      data-rule={rule}
      data-severity={severity}
      data-open={open}
    >
      <SingleHead single={single} open={open} onToggle={onToggle} detailsId={detailsId} />
      <p>
        <RuleSentence rule={rule} sentence={verdicts[0]?.headline} />
        <EstimateNote verdict={verdicts[0]} />
      </p>
      <SingleFacts single={single} />
      {open === 'yes' && request !== undefined ? (
        <div id={detailsId} className={card.details}>
          <RequestDiagnosis request={request} sinceMs={sinceMs} />
        </div>
      ) : null}
    </li>
  );
}

function SingleHead({ single, open, onToggle, detailsId }: SingleProps & { detailsId: string }) {
  const { network } = usePendingPlace();
  const name = clipped(network(single.networkId).name, 60);
  return (
    <div className={card.head}>
      <VerdictSeverity severity={single.severity} />
      <h3 className={classes.name}>
        <button
          type="button"
          className={card.opener}
          aria-expanded={open === 'yes'}
          aria-controls={open === 'yes' ? detailsId : undefined}
          onPointerEnter={() => void loadDiagnosis()}
          onClick={onToggle}
        >
          <span>
            <bdi>{name}</bdi>: request{' '}
            <span className="num">{clipped(groupDigitsBriefly(single.sequence), 40)}</span>
          </span>
          <Icon name="down" size={14} />
        </button>
      </h3>
      <span className={classes.soft}>
        <Age sinceMs={single.sinceMs} />
      </span>
    </div>
  );
}

function SingleFacts({ single }: { single: SingleStuck }) {
  const { key, keeper, sender, sequence } = single;
  const { several } = usePendingPlace();
  const link = linkOfKey(key);
  return (
    <div className={classes.facts}>
      {several === 'yes' ? <span>Keeper {keeper}</span> : null}
      {sender === undefined ? null : (
        <span>
          Sender{' '}
          <bdi className="mono" title={clipped(sender, 200)}>
            {shortened(sender)}
          </bdi>
        </span>
      )}
      {link === undefined ? null : (
        <Link href={link.href} prefetch={false} aria-label={`Page of request ${link.label}`}>
          Open page
        </Link>
      )}
      <SingleWatch single={single} name={`request ${groupDigitsBriefly(sequence)}`} />
    </div>
  );
}

'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Icon } from '@/components/ui/icons';
import { explainFailure } from '@/lib/client/explain-failure';
import type { AnsweredInspection } from '@/lib/client/inspected-update';
import { useMoment } from '@/lib/client/time-style';
import { type InspectedUpdate, inspectLink } from '@/lib/contract/codec/payload-link';
import type { Outcome } from '@/lib/domain/outcome';
import { formatIsoSeconds, secondsToMillis } from '@/lib/domain/units';
import classes from './payload.module.css';
import type { FeedNames } from './payload-messages';
import { PayloadResult } from './payload-result';

const HOST_NAMES = { updates: 'price update service', upgraded: 'upgraded price update service' } as const;

type Props = {
  asked: InspectedUpdate;
  answer: Outcome<AnsweredInspection> | undefined;
  asking: 'yes' | undefined;
  names: FeedNames;
  onAgain: () => void;
  onLeave: () => void;
};

/** The update that the address names: what was asked, and what came of it. */
export function LinkedPayload({ asked, answer, asking, names, onAgain, onLeave }: Props) {
  return (
    <div className={classes.result}>
      <div className={classes.linked}>
        <p>
          <QuestionWords asked={asked} names={names} />
          {answer?.ok === true ? <AnsweredAt ms={answer.value.answeredAtMs} /> : null}
        </p>
        <div className={classes.tools}>
          <button type="button" className="small-button" onClick={onAgain} disabled={asking === 'yes'}>
            Ask again
          </button>
          <button type="button" className="small-button" onClick={onLeave}>
            Close
          </button>
          <CopyButton
            value={`${window.location.origin}${inspectLink(asked.host, asked.at, asked.ids)}`}
            label="Copy link to this update"
          />
        </div>
      </div>
      {asking === 'yes' ? (
        <p role="status" className={classes.soft}>
          Asking the {HOST_NAMES[asked.host]}…
        </p>
      ) : null}
      <Answer answer={answer} asked={asked} names={names} onAgain={onAgain} />
    </div>
  );
}

function QuestionWords({ asked, names }: { asked: InspectedUpdate; names: FeedNames }) {
  const [first, ...others] = asked.ids;
  const feed = first === undefined ? 'no feed' : (names.get(first) ?? `feed ${first.slice(0, 8)}…`);
  return (
    <>
      {asked.at === 'latest' ? 'Latest update' : 'First update at or after '}
      {asked.at === 'latest' ? null : (
        <time dateTime={formatIsoSeconds(secondsToMillis(asked.at))}>
          {formatIsoSeconds(secondsToMillis(asked.at))}
        </time>
      )}{' '}
      of <bdi className="foreign">{feed}</bdi>
      {others.length === 0 ? '' : ` and ${others.length} more`}, from the {HOST_NAMES[asked.host]}.
      {asked.at === 'latest' ? null : (
        <span className={classes.soft}>
          {' '}
          A link names whole seconds: where several updates were published in this one, another may be meant.
        </span>
      )}
    </>
  );
}

function AnsweredAt({ ms }: { ms: number }) {
  const { text, title, iso } = useMoment(ms);
  return (
    <span className={classes.soft}>
      {' '}
      Asked{' '}
      <time dateTime={iso} title={title}>
        {text}
      </time>
      .
    </span>
  );
}

function Answer({ answer, asked, names, onAgain }: Pick<Props, 'answer' | 'asked' | 'names' | 'onAgain'>) {
  if (answer === undefined) return null;
  if (!answer.ok) {
    const { title, said } = explainFailure(answer.failure);
    return (
      <FailureNotice
        title={title}
        said={said}
        kept="A payload can still be pasted above."
        todo={answer.failure.kind === 'missing' ? 'Another moment or another feed may have one.' : ''}
        retryInS={undefined}
        onRetry={onAgain}
      />
    );
  }
  const { inspection } = answer.value;
  const held = new Set(
    inspection.payloads.flatMap((one) =>
      one.kind === 'update'
        ? one.update.updates.flatMap(({ message }) => (message.kind === 'price' ? [message.id] : []))
        : [],
    ),
  );
  const lacking = asked.ids.filter((id) => !held.has(id));
  return (
    <>
      {lacking.length === 0 ? null : (
        <p className={classes.verdict} data-tone="warn">
          <Icon name="alert" size={14} />
          <span>
            Asked for, and in no payload of the answer:{' '}
            <bdi className="foreign">{lacking.map((id) => names.get(id) ?? id).join(', ')}</bdi>.
          </span>
        </p>
      )}
      <PayloadResult inspection={inspection} names={names} />
    </>
  );
}

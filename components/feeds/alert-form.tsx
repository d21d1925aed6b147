'use client';
import { useId, useState } from 'react';
import { CHANGE_WINDOWS_S, conditionFromText, type FeedAlert, MOST_ALERTS } from '@/lib/client/alert-book';
import { type AddResult, useAlertBook } from '@/lib/client/alert-of-browser';
import { formatSpan } from '@/lib/client/human-time';
import { assertNever } from '@/lib/domain/assert-never';
import type { AlertCondition } from '@/lib/domain/feed-alerts';
import classes from './alert.module.css';

type Kind = AlertCondition['kind'];

const KINDS: readonly { readonly kind: Kind; readonly words: string; readonly unit: string }[] = [
  { kind: 'above', words: 'Price above', unit: '' },
  { kind: 'below', words: 'Price below', unit: '' },
  { kind: 'change', words: 'Price moves more than', unit: '%' },
  { kind: 'wide', words: 'Confidence wider than', unit: 'bp' },
  { kind: 'stale', words: 'Feed is stale', unit: '' },
];

type Told = { readonly tone: 'good' | 'bad'; readonly text: string };

function toldOf(result: AddResult): Told {
  switch (result) {
    case 'added':
      return { tone: 'good', text: 'Added.' };
    case 'unkept':
      return {
        tone: 'bad',
        text: 'Added until this page is left: this browser keeps nothing for it.',
      };
    case 'there':
      return { tone: 'bad', text: 'There is such an alert already.' };
    case 'full':
      return {
        tone: 'bad',
        text: `There are ${MOST_ALERTS} alerts, and no more are kept: remove one first.`,
      };
    default:
      return assertNever(result);
  }
}

type Feed = Pick<FeedAlert, 'feedId' | 'symbol'>;

/** What is typed, and what became of the last attempt. */
function useAlertDraft(feed: Feed) {
  const { add } = useAlertBook();
  const [kind, setKind] = useState<Kind>('above');
  const [text, setText] = useState('');
  const [windowS, setWindow] = useState(300);
  const [told, setTold] = useState<Told>();

  function submit() {
    const read = kind === 'stale' ? { condition: { kind } as const } : conditionFromText(kind, text, windowS);
    if ('problem' in read) {
      setTold({ tone: 'bad', text: read.problem });
      return;
    }
    const result = add(feed, read.condition);
    setTold(toldOf(result));
    if (result === 'added' || result === 'unkept') setText('');
  }

  /** A sentence about what was there before is none about what is there now. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      setTold(undefined);
    };
  return {
    kind,
    text,
    windowS,
    told,
    submit,
    choose: changing(setKind),
    type: changing(setText),
    chooseWindow: changing(setWindow),
  };
}

/** Makes an alert of one feed. `price` is its latest, for the eye. */
export function AlertForm({ feed, price }: { feed: Feed; price: string | undefined }) {
  const { kind, text, windowS, told, submit, choose, type, chooseWindow } = useAlertDraft(feed);
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <KindField kind={kind} onChoose={choose} />
      {kind === 'stale' ? null : (
        <NumberField
          unit={KINDS.find((one) => one.kind === kind)?.unit ?? ''}
          text={text}
          example={kind === 'above' || kind === 'below' ? price : undefined}
          standing={told?.tone === 'bad' ? 'refused' : 'fine'}
          onType={type}
        />
      )}
      {kind === 'change' ? <WindowField windowS={windowS} onChoose={chooseWindow} /> : null}
      <button type="submit" className={classes.add}>
        Add alert
      </button>
      <p className={classes.told} role="status" data-tone={told?.tone}>
        {told?.text ?? hintOf(kind, price)}
      </p>
    </form>
  );
}

function hintOf(kind: Kind, price: string | undefined): string {
  switch (kind) {
    case 'above':
    case 'below':
      return price === undefined ? 'No price yet.' : `Now ${price}.`;
    case 'change':
      return 'Up from the lowest or down from the highest price of that time.';
    case 'wide':
      return 'In basis points (hundredths of a percent) of the price.';
    case 'stale':
      return 'No update for much longer than this feed usually pauses.';
    default:
      return assertNever(kind);
  }
}

function KindField({ kind, onChoose }: { kind: Kind; onChoose: (kind: Kind) => void }) {
  const id = useId();
  return (
    <span className={classes.part}>
      <label htmlFor={id} className={classes.label}>
        When
      </label>
      <select
        id={id}
        className={classes.field}
        value={kind}
        onChange={(event) => {
          const chosen = KINDS.find((one) => one.kind === event.currentTarget.value);
          if (chosen !== undefined) onChoose(chosen.kind);
        }}
      >
        {KINDS.map((one) => (
          <option key={one.kind} value={one.kind}>
            {one.words}
          </option>
        ))}
      </select>
    </span>
  );
}

function NumberField({
  unit,
  text,
  example,
  standing,
  onType,
}: {
  unit: string;
  text: string;
  example: string | undefined;
  standing: 'fine' | 'refused';
  onType: (text: string) => void;
}) {
  const id = useId();
  return (
    <span className={classes.part}>
      <label htmlFor={id} className={classes.label}>
        {unit === '' ? 'Price' : `Number (${unit})`}
      </label>
      <input
        id={id}
        className={`${classes.field} num`}
        value={text}
        placeholder={example ?? '1'}
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        maxLength={60}
        aria-invalid={standing === 'refused'}
        onChange={(event) => onType(event.currentTarget.value)}
      />
    </span>
  );
}

function WindowField({ windowS, onChoose }: { windowS: number; onChoose: (windowS: number) => void }) {
  const id = useId();
  return (
    <span className={classes.part}>
      <label htmlFor={id} className={classes.label}>
        Within
      </label>
      <select
        id={id}
        className={classes.field}
        value={windowS}
        onChange={(event) => onChoose(Number(event.currentTarget.value))}
      >
        {CHANGE_WINDOWS_S.map((seconds) => (
          <option key={seconds} value={seconds}>
            {formatSpan(seconds * 1000)}
          </option>
        ))}
      </select>
    </span>
  );
}

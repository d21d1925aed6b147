'use client';
import { Button } from '@mantine/core';
import { CopyButton } from '@/components/ui/copy-button';
import { explainFailure } from '@/lib/client/explain-failure';
import { clipped } from '@/lib/client/foreign-text';
import { countOf } from '@/lib/client/human-number';
import type { LookupAsk, LookupCall } from '@/lib/client/price-lookup';
import { lookupFileName } from '@/lib/client/price-lookup-csv';
import type { LookupAnswer, LookupState } from '@/lib/client/price-lookup-state';
import { SOURCE_NAMES } from '@/lib/client/price-lookup-words';
import { saveFile } from '@/lib/client/save-file';
import { formatIsoMicros } from '@/lib/domain/unix-micros';
import classes from './lookup-result.module.css';
import { SCROLLED_BY_KEYS } from './scrolled-by-keys';

/** More of an answer is not drawn; it is copied and saved whole. */
const MOST_SHOWN = 20_000;
/** So many answers are drawn; the file has all that were kept. */
const MOST_ANSWERS = 30;

/** Every answer as its service sent it, with every digit. */
export function LookupJson({ ask, state }: { ask: LookupAsk; state: LookupState }) {
  const { answers } = state;
  if (answers.length === 0) return <p className={classes.quiet}>Nothing was answered yet.</p>;
  return (
    <div className={classes.calls}>
      <div>
        <Button onClick={() => saveJson(answers)}>Save all as JSON</Button>
      </div>
      {answers.slice(0, MOST_ANSWERS).map((answer) => (
        <Answer key={callKey(answer.call)} ask={ask} answer={answer} />
      ))}
      {answers.length <= MOST_ANSWERS ? null : (
        <p className={classes.quiet}>
          And {answers.length - MOST_ANSWERS} more answers, which the file has too.
        </p>
      )}
    </div>
  );
}

/** No call of a lookup is answered twice. */
function callKey({ source, feeds }: LookupCall): string {
  return `${source} ${feeds.length} ${feeds[0]?.key}`;
}

/** What a call asked, in a heading: source, moment, feeds. */
export function callTitle({ at }: LookupAsk, { source, feeds }: LookupCall): string {
  const when = at === undefined ? 'now' : formatIsoMicros(at);
  const [first] = feeds;
  const what =
    feeds.length === 1 && first !== undefined
      ? clipped(first.symbol, 40)
      : countOf(String(feeds.length), 'feed', 'feeds');
  return `${SOURCE_NAMES[source].name}, ${when}, ${what}`;
}

function Answer({ ask, answer }: { ask: LookupAsk; answer: LookupAnswer }) {
  const { call, text, failure } = answer;
  const { request } = call;
  const title = callTitle(ask, call);
  const address = request.method === 'GET' ? `${request.path}?${request.query}` : request.path;
  return (
    <section className={classes.call} aria-label={title}>
      <div className={classes.callHead}>
        <h3>{title}</h3>
        <code className={classes.path}>
          {request.method} {address}
        </code>
        {text === undefined ? null : <CopyButton value={text} label={`Copy the answer: ${title}`} />}
      </div>
      {failure === undefined ? null : <FailureLine failure={failure} />}
      {text === undefined ? null : (
        <pre className={`${classes.text} foreign`} {...SCROLLED_BY_KEYS}>
          {clipped(text, MOST_SHOWN)}
        </pre>
      )}
    </section>
  );
}

function FailureLine({ failure }: { failure: NonNullable<LookupAnswer['failure']> }) {
  const { title, said, todo } = explainFailure(failure);
  return (
    <p className={classes.failed}>
      <strong>{title}.</strong>{' '}
      {said === undefined ? (
        todo
      ) : (
        <>
          It said: <q className="foreign">{said}</q>
        </>
      )}
    </p>
  );
}

/** A list of the calls with their answers in it as they came: text put together, nothing parsed. */
function saveJson(answers: readonly LookupAnswer[]): void {
  const items = answers.map(({ call, text, failure }) => {
    const { request, source } = call;
    const asked = [
      `"source":${JSON.stringify(source)}`,
      `"method":"${request.method}"`,
      `"path":${JSON.stringify(request.path)}`,
      request.method === 'GET' ? `"query":${JSON.stringify(request.query)}` : `"body":${request.body}`,
    ];
    // An answer that could not be read may be no JSON.
    const answered =
      failure === undefined && text !== undefined
        ? `"answer":${text}`
        : `"failure":${JSON.stringify(failure ?? {})}`;
    return `{${[...asked, answered].join(',')}}`;
  });
  const file = new Blob([`[${items.join(',\n')}]\n`], { type: 'application/json' });
  saveFile(file, lookupFileName(Date.now(), 'json'));
}

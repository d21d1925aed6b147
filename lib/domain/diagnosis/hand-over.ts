import { formatUtcSeconds, unixMillis } from '@/lib/domain/units';
import type { Diagnosis } from './all-rules';
import type { EvidenceUsed, LoggedRow } from './evidence';
import { type Incident, incidentHeadline } from './incident';
import { CANNOT_BE_KNOWN, PENDING_MEANS } from './limits-of-knowledge';
import { codeBlock, codeMarkdown, linkMarkdown, plainMarkdown, sentenceMarkdown } from './markdown-text';
import { NO_RETRY_YET, nextSteps } from './next-steps';
import { numberText, spanText } from './span-text';
import { type Figure, RULE_TITLES, type Verdict } from './verdict';

/** What a paper needs from where it is written. Addresses are absolute; what is no http(s) address is left out. */
export type PaperSource = {
  networkName: (networkId: string) => string;
  /** The page of a request. */
  requestUrl: (row: LoggedRow) => string | undefined;
  /** The page of the incident. */
  incidentUrl: (incident: Incident) => string | undefined;
  /** The request's transaction in a block explorer. */
  explorerUrl: (row: LoggedRow) => string | undefined;
  /** A call of the log service for a terminal, with `$LOGS_API_KEY` and never the key. */
  curl: (query: string) => string;
  /** Unix ms: when the paper is written. */
  nowMs: number;
};

/** More requests than this are a file, not a message. */
const MOST_ROWS = 20;

export function utcText(ms: number): string {
  const text = formatUtcSeconds(unixMillis(ms));
  return text === 'out of range' ? text : `${text} UTC`;
}

/**
 * An incident as Markdown: headline, what it rests on with figures and calls, its oldest requests, what can't be known,
 * next steps. All times are UTC, all texts of strangers are code or escaped.
 * @param rows of the incident, in any order; those that are not here are counted
 */
export function incidentMarkdown(
  incident: Incident,
  rows: readonly LoggedRow[],
  source: PaperSource,
): string {
  const headline = incidentHeadline(incident, {
    network: (id) => plainMarkdown(source.networkName(id)),
    moment: utcText,
  });
  const own = new Map(rows.map((row) => [row.key, row]));
  const shown = incident.rows.flatMap((key) => own.get(key) ?? []).slice(0, MOST_ROWS);
  const listed =
    shown.length === 0
      ? []
      : [
          `### Requests (${shown.length} of ${numberText(incident.size)}, oldest first)`,
          list(shown.map((row) => rowLine(row, source))),
        ];
  const about = [`keeper ${codeMarkdown(incident.keeper)}`, `network ${codeMarkdown(incident.networkId)}`];
  return paper([
    `## ${linkMarkdown(headline, source.incidentUrl(incident))}`,
    `${capital(about.join(', '))}, severity ${incident.severity}, written ${utcText(source.nowMs)}.`,
    ...(incident.size > 0 ? [`${PENDING_MEANS}.`] : []),
    ...verdictParts(incident.verdicts, source),
    ...listed,
    ...closing(incident.rule, incident.size > 0),
  ]);
}

/** One request as Markdown, in the manner of `incidentMarkdown`, with the rules that don't hold and why. */
export function requestMarkdown(request: LoggedRow, diagnosis: Diagnosis, source: PaperSource): string {
  const name = plainMarkdown(source.networkName(request.networkId));
  const title = `${name}: request ${plainMarkdown(request.sequence)}`;
  const waits = request.state.kind === 'pending';
  const held = diagnosis.verdicts.filter(({ holds }) => holds === 'yes');
  const { top, activity, survival } = diagnosis;
  const first = top === undefined ? held : [top, ...held.filter(({ rule }) => rule !== top.rule)];
  const standing = [
    ...(activity === undefined ? [] : [`${activity.text}.`]),
    ...(survival === undefined
      ? []
      : [`Of the network’s last ${survival.finished} finished requests, ${survival.sentence}.`]),
  ];
  return paper([
    `## ${linkMarkdown(title, source.requestUrl(request))}`,
    `${rowLine(request, source)}. Written ${utcText(source.nowMs)}.`,
    ...(waits ? [`${PENDING_MEANS}.`] : []),
    ...(standing.length === 0 ? [] : [standing.join(' ')]),
    ...verdictParts(first, source),
    ...otherParts(diagnosis.verdicts),
    ...closing(top?.rule, waits),
  ]);
}

function paper(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function stateText({ state }: LoggedRow): string {
  if (state.kind === 'unknown') return `state ${codeMarkdown(state.wireName)}`;
  return state.kind === 'completed' && state.callback === 'failed' ? 'callback failed' : state.kind;
}

function rowLine(row: LoggedRow, source: PaperSource): string {
  const transaction = row.requestTxHash === undefined ? [] : [codeMarkdown(row.requestTxHash)];
  return [
    linkMarkdown(`sequence ${plainMarkdown(row.sequence)}`, source.requestUrl(row)),
    `${stateText(row)}, created ${utcText(row.createdAt.ms)}`,
    ...(row.sender === undefined ? [] : [`sender ${codeMarkdown(row.sender)}`]),
    ...transaction.map((hash) => `transaction ${linkMarkdown(hash, source.explorerUrl(row))}`),
  ].join(', ');
}

/** A figure for people; what may come from strangers is code. */
function figureText({ value, unit }: Figure): string {
  switch (unit) {
    case 'ms':
      return spanText(Number(value));
    case 'moment':
      return utcText(Number(value));
    case 'percent':
      return `${value} %`;
    case 'hex':
    case 'text':
      return codeMarkdown(String(value));
    default:
      return plainMarkdown(String(value));
  }
}

function verdictParts(verdicts: readonly Verdict[], source: PaperSource): string[] {
  if (verdicts.length === 0) return ['No rule holds.'];
  return ['### Evidence', ...verdicts.flatMap((verdict) => verdictPart(verdict, source))];
}

function verdictPart(verdict: Verdict, source: PaperSource): string[] {
  const estimate = verdict.basis === 'estimate' ? ' (estimate)' : '';
  const missing = verdict.missing === undefined ? [] : [`Not known: ${sentenceMarkdown(verdict.missing)}`];
  const figures = verdict.figures.map((figure) => `${figure.label}: ${figureText(figure)}`);
  const lines = [...figures, ...missing];
  const calls = verdict.evidence.map((one) => callLine(one, source));
  return [
    `**${verdict.rule} ${RULE_TITLES[verdict.rule]}**${estimate}: ${sentenceMarkdown(verdict.headline)}.`,
    ...(lines.length === 0 ? [] : [list(lines)]),
    ...(calls.length === 0 ? [] : [codeBlock('sh', calls.flat())]),
  ];
}

function callLine({ id, query, atMs }: EvidenceUsed, source: PaperSource): string[] {
  return [`# ${id}, answered ${utcText(atMs)}`, source.curl(query)];
}

function otherParts(verdicts: readonly Verdict[]): string[] {
  const line = ({ rule, headline, missing }: Verdict, said: string) =>
    `${rule} ${RULE_TITLES[rule]}: ${sentenceMarkdown(said === 'unknown' ? (missing ?? headline) : headline)}`;
  const open = verdicts.filter(({ holds }) => holds === 'unknown');
  const not = verdicts.filter(({ holds }) => holds === 'no');
  return [
    ...(open.length === 0
      ? []
      : ['### Could not be told', list(open.map((verdict) => line(verdict, 'unknown')))]),
    ...(not.length === 0 ? [] : ['### Checked, and does not hold', list(not.map((v) => line(v, 'no')))]),
  ];
}

function closing(rule: Verdict['rule'] | undefined, waits: boolean): string[] {
  return [
    '### What these logs can’t show',
    list(CANNOT_BE_KNOWN),
    '### Next steps',
    list([...nextSteps(rule), ...(waits ? [NO_RETRY_YET] : [])].map((step) => `${step}.`)),
  ];
}

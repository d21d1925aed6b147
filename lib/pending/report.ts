import { logsCallAsCurl } from '@/lib/core/log-query';
import { explorerTxUrl, type Network } from '@/lib/core/network';
import { groupDigits } from '@/lib/core/numbers';
import { formatAge, formatDuration, formatUtcSeconds } from '@/lib/core/time';
import { verdictsHolding } from '@/lib/pending/rules/diagnose';
import {
  LIMITATIONS,
  leadLabel,
  NO_OUTCOME,
  NO_RETRY_YET,
  nextAction,
  PENDING_EXPLANATION,
  RULE_TITLES,
} from '@/lib/pending/rules/rule-texts';
import { figureText, type Verdict } from '@/lib/pending/rules/verdict';
import { locatorPath } from '@/lib/requests/request-address';
import type { ChainEvidence } from './chain-cause';
import { incidentHeadline, type KeyedIncident } from './incidents';
import { type Diagnosis, incidentPath } from './pending-response';
import { isPending, type LoggedRow } from './rules/evidence';

/** Network and origin of a report, and its time (unix ms). */
export type ReportSource = { network: Network; origin: string; nowMs: number };

const MAX_ROWS = 20;

/** UTC; untrusted texts are code or escaped. @param rows in any order; members without a row are only counted */
export function incidentMarkdown(
  incident: KeyedIncident,
  rows: readonly LoggedRow[],
  source: ReportSource,
  chain?: ChainEvidence,
): string {
  const words = { network: () => plainMarkdown(source.network.name), moment: utcText };
  const headline = incidentHeadline(incident, words);
  const rowsByKey = new Map(rows.map((row) => [row.key, row]));
  const shown = incident.rows.flatMap((key) => rowsByKey.get(key) ?? []).slice(0, MAX_ROWS);
  const { keeper, networkId, severity, size } = incident;
  return report([
    `## ${linkMarkdown(headline, source.origin + incidentPath(incident.id))}`,
    `Keeper ${codeMarkdown(keeper)}, network ${codeMarkdown(networkId)}, severity ${severity}, written ${utcText(source.nowMs)}.`,
    size > 0 && pendingExplanation(chain),
    ...concluded(incident.verdicts[0], incident.verdicts, chain),
    ...evidenceParts(incident.verdicts.filter(({ holds }) => holds === 'yes')),
    shown.length > 0 && `### Requests (${shown.length} of ${groupDigits(size)}, oldest first)`,
    list(shown.map((row) => rowLine(row, source))),
    ...closing(size > 0),
  ]);
}

/** A report like `incidentMarkdown`, with the rules that don't hold and why. */
export function requestMarkdown(
  request: LoggedRow,
  diagnosis: Diagnosis,
  source: ReportSource,
  chain?: ChainEvidence,
): string {
  const title = `${plainMarkdown(source.network.name)}: request ${plainMarkdown(request.sequence)}`;
  const { survival, verdicts, topRule } = diagnosis;
  const lead = verdicts.find(({ rule }) => rule === topRule);
  const thatHold = (holds: Verdict['holds']) => verdicts.filter((verdict) => verdict.holds === holds);
  return report([
    `## ${linkMarkdown(title, requestUrl(request, source))}`,
    `${rowLine(request, source)}. Written ${utcText(source.nowMs)}.`,
    isPending(request) && pendingExplanation(chain),
    survival &&
      `p99 of the last ${groupDigits(survival.finished)} finished requests on this network: ${formatDuration(survival.p99Ms)}.`,
    ...(isPending(request) ? concluded(lead, verdicts, chain) : []),
    ...evidenceParts(verdictsHolding(diagnosis)),
    ...otherPart('Unknown', thatHold('unknown')),
    ...otherPart('Ruled out', thatHold('no')),
    ...closing(isPending(request)),
  ]);
}

type Parts = readonly (string | false | undefined)[];

function report(parts: Parts): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function list(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

function utcText(ms: number): string {
  const text = formatUtcSeconds(ms);
  return text === 'out of range' ? text : `${text} UTC`;
}

function stateText({ state }: LoggedRow): string {
  if (state.kind === 'unknown') return `state ${codeMarkdown(state.wireName)}`;
  return state.kind === 'completed' && state.callback === 'failed' ? 'callback failed' : state.kind;
}

function requestUrl({ keeper, provider, requestTxHash: tx, ...row }: LoggedRow, { origin }: ReportSource) {
  return (
    origin + locatorPath({ ...row, keepers: [keeper], ...(provider && { provider }), ...(tx && { tx }) })
  );
}

function rowLine(row: LoggedRow, source: ReportSource): string {
  const { sender, requestTxHash: hash } = row;
  const parts = [
    linkMarkdown(`sequence ${plainMarkdown(row.sequence)}`, requestUrl(row, source)),
    stateText(row),
    `created ${utcText(row.createdAt.ms)}`,
    sender && `sender ${codeMarkdown(sender)}`,
    hash && `transaction ${linkMarkdown(codeMarkdown(hash), explorerTxUrl(source.network, hash))}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function evidenceParts(verdicts: readonly Verdict[]): Parts {
  return verdicts.length === 0 ? ['No rule applies.'] : ['### Evidence', ...verdicts.flatMap(verdictPart)];
}

function verdictPart({ rule, basis, headline, missing, figures, evidence }: Verdict): Parts {
  const estimate = basis === 'estimate' ? ' (estimate)' : '';
  const lines = figures.map((figure) => `${figure.label}: ${figureText(figure, utcText, codeMarkdown)}`);
  if (missing !== undefined) lines.push(`Unknown: ${sentenceMarkdown(missing)}`);
  const calls = evidence.flatMap(({ id, query, atMs }) => [
    `# ${id}, answered ${utcText(atMs)}`,
    logsCallAsCurl(new URLSearchParams(query)),
  ]);
  const head = `**${RULE_TITLES[rule]}**${estimate} (${rule}): ${sentenceMarkdown(headline)}.`;
  return [head, list(lines), calls.length > 0 && shellBlock(calls)];
}

function otherPart(title: string, verdicts: readonly Verdict[]): string[] {
  if (verdicts.length === 0) return [];
  const line = ({ rule, headline, missing }: Verdict) =>
    `${RULE_TITLES[rule]} (${rule}): ${sentenceMarkdown(missing ?? headline)}`;
  return [`### ${title}`, list(verdicts.map(line))];
}

const pendingExplanation = (chain: ChainEvidence | undefined) =>
  chain?.asked ? NO_OUTCOME : PENDING_EXPLANATION;

/** A cause found on the chain replaces the likely cause from the log. */
function concluded(
  lead: Verdict | undefined,
  verdicts: readonly Verdict[],
  chain: ChainEvidence | undefined,
): string[] {
  const { cause, line, isOpen } = chain ?? {};
  const byLog = lead && `${RULE_TITLES[lead.rule]}. ${sentenceMarkdown(lead.headline)}.`;
  const estimate = lead?.basis === 'estimate' ? ' (estimate)' : '';
  const next = cause?.next ?? (lead && nextAction(lead, verdicts, isOpen));
  return [
    cause &&
      `**Likely cause, on-chain**: ${plainMarkdown(cause.title)}. ${sentenceMarkdown(cause.headline)}.`,
    cause === undefined && lead && `**${leadLabel(lead)}${estimate}**: ${byLog}`,
    next && `**Next step**: ${sentenceMarkdown(next)}.`,
    line && `**On-chain**: ${sentenceMarkdown(line)}.`,
    chain && answeredLine(chain),
    cause && byLog && `**By the log alone**${estimate}: ${byLog}`,
  ].flatMap((part) => part || []);
}

function answeredLine({ asked: queried, of: size, ageMs }: ChainEvidence): string {
  if (queried === 0) return '';
  const scopeText = size <= queried ? '' : `, about the oldest ${queried} of ${groupDigits(size)}`;
  return `Chain queried ${formatAge(ageMs)} ago${scopeText}.`;
}

function closing(waits: boolean): string[] {
  return ['### Limitations', list([...(waits ? [NO_RETRY_YET] : []), ...LIMITATIONS])];
}

/** Limit of untrusted texts. */
const MAX_CHARACTERS = 200;

/** Line ends, controls, and characters that reorder or hide text. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;

function oneLine(text: string): string {
  const characters = [...text.replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim()];
  const cut = characters.slice(0, MAX_CHARACTERS).join('');
  return characters.length > MAX_CHARACTERS ? `${cut}…` : cut;
}

/** Escapes all ASCII punctuation, so that untrusted text starts no link, tag, emphasis, heading or table. */
function plainMarkdown(text: string): string {
  return oneLine(text).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** Markdown like `plainMarkdown` for our sentences, but keeps punctuation that means nothing between words. */
function sentenceMarkdown(text: string): string {
  return oneLine(text).replace(/(?![,;'()%])(?![.:?](?=\s|$))[!-/:-@[-`{-~]/g, '\\$&');
}

/** Fenced by more backticks than any run in the text. */
function codeMarkdown(text: string): string {
  const line = oneLine(text);
  if (line === '') return '—';
  const ticks = '`'.repeat(longestRun(line) + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${line}${pad}${ticks}`;
}

/** Fenced by more backticks than any run in it. */
function shellBlock(lines: readonly string[]): string {
  const text = lines.map((line) => line.replace(UNSEEN, ' ')).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}sh\n${text}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}

/** A link, or only its label unless the URL is http(s). */
function linkMarkdown(label: string, address: string | undefined): string {
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return label;
  return `[${label}](<${url.href.replace(/[<>\\`|\s]/g, (c) => encodeURIComponent(c))}>)`;
}

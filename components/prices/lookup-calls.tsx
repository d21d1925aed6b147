'use client';
import { Badge, Button, Group, Paper, Spoiler, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Link } from '@/components/ui/link';
import { saveFile } from '@/components/ui/save-file';
import { Muted } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import { failureTitle } from '@/lib/core/health';
import { countOf, groupDigits } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { formatIsoMicros } from '@/lib/core/time';
import type { AnsweredCall } from '@/lib/prices/client/use-lookup';
import { SOURCE_NAMES } from '@/lib/prices/comparison';
import {
  callAsCurl,
  callKey,
  inspectorPath,
  type LookupCall,
  type LookupRequest,
  planCalls,
} from '@/lib/prices/lookup';
import classes from './prices.module.css';

function callTitle({ source, feeds, requestedUs }: LookupCall): string {
  const [first] = feeds;
  const feedsText = feeds.length === 1 ? clipped(first?.symbol ?? '', 40) : countOf(feeds.length, 'feed');
  return `${SOURCE_NAMES[source].name}, ${requestedUs === undefined ? 'now' : formatIsoMicros(requestedUs)}, ${feedsText}`;
}

/** `200`, the status of the service, or the kind of a failure without a status. */
function statusText({ text, failure }: AnsweredCall): string {
  if (text !== undefined) return failure === undefined ? '200' : '200, unreadable';
  return String(failure?.upstreamStatus ?? failureTitle(failure?.kind ?? 'unreachable'));
}

type CardProps = {
  call: LookupCall;
  outcome?: string;
  copied: string | undefined;
  label: string;
  children: ReactNode;
};

function CallCard({ call, outcome, copied, label, children }: CardProps) {
  const title = callTitle(call);
  return (
    <Paper component="section" withBorder p="xs" aria-label={title}>
      <Group gap="xs">
        <Title order={2} size="h3">
          {title}
        </Title>
        <Muted size="sm" className="num">
          {[call.body === undefined ? 'GET' : 'POST', outcome].filter(Boolean).join(' · ')}
        </Muted>
        {copied === undefined ? null : <CopyButton value={copied} label={`${label}: ${title}`} />}
      </Group>
      {children}
    </Paper>
  );
}

/** Focusable, so that it can be scrolled by keyboard. */
function Source({ children }: { children: string }) {
  const scrolledByKeys = { tabIndex: 0 };
  return (
    <pre className="foreign" {...scrolledByKeys}>
      {children}
    </pre>
  );
}

/** The copy and the file have all of an answer. */
const MAX_SHOWN = 20_000;

/** The answers as the services sent them, with every digit. */
export function LookupJson({ answered }: { answered: readonly AnsweredCall[] }) {
  return (
    <Stack gap="sm">
      <div>
        <Button disabled={answered.length === 0} onClick={() => saveJson(answered)}>
          Save all as JSON
        </Button>
      </div>
      {answered.map((answer) => {
        const { call, text, failure, tookMs } = answer;
        const { title, quote } = failure ? explainFailure(failure) : {};
        return (
          <CallCard
            key={callKey(call)}
            call={call}
            outcome={`${statusText(answer)} · ${groupDigits(tookMs)} ms`}
            copied={text}
            label="Copy the answer"
          >
            {title && (
              <p>
                <strong className={classes.warn}>{title}.</strong>{' '}
                {quote && <q className="foreign">{quote}</q>}
              </p>
            )}
            {text === undefined ? null : <Source>{clipped(text, MAX_SHOWN)}</Source>}
          </CallCard>
        );
      })}
    </Stack>
  );
}

/** Answers are inserted as text, which keeps every digit. */
function saveJson(answered: readonly AnsweredCall[]): void {
  const items = answered.map(({ call: { source, path, query, body }, text, failure }) => {
    const request = JSON.stringify({ source, path, query }).slice(0, -1);
    // An unreadable answer may not be JSON, so the failure is saved instead.
    const outcome = failure === undefined ? `"answer":${text}` : `"failure":${JSON.stringify(failure)}`;
    return `${request}${body === undefined ? '' : `,"body":${body}`},${outcome}}`;
  });
  saveFile(new Blob([`[${items.join(',\n')}]\n`], { type: 'application/json' }), 'prices.json');
}

type CurlProps = { request: LookupRequest; published: Parameters<typeof planCalls>[2] };

/** Commands that call the services directly. */
export function LookupCurl({ request, published }: CurlProps) {
  const calls = request.options.sources.flatMap((source) => planCalls(request, source, published).calls);
  return (
    <Stack gap="sm">
      <Muted size="sm">
        Set the URL and the API key in your environment: UPDATES_URL, UPDATES_API_KEY, UPGRADED_UPDATES_URL,
        UPGRADED_UPDATES_API_KEY, ROUTER_URL, ROUTER_API_KEY.
      </Muted>
      {calls.map((call) => (
        <CallCard key={callKey(call)} call={call} copied={callAsCurl(call)} label="Copy the command">
          <Source>{callAsCurl(call)}</Source>
        </CallCard>
      ))}
    </Stack>
  );
}

export function SignedPayloads({ answered }: { answered: readonly AnsweredCall[] }) {
  const payloads = answered.flatMap(({ call, payloads: some }) => {
    const inspector = inspectorPath(call.source, call.requestedUs ?? 'latest', call.feeds);
    return some.map((payload, at) => ({ call, ...payload, key: `${callKey(call)} ${at}`, inspector }));
  });
  if (payloads.length === 0) return null;
  const isSame = payloads.length > 1 && new Set(payloads.map(({ data }) => data)).size === 1;
  return (
    <Paper component="section" withBorder p="sm" aria-label="Signed payloads">
      <Title order={2} size="h3">
        {countOf(payloads.length, 'signed payload')}
      </Title>
      <Muted size="xs">
        The price update service was upgraded on 26 August 2026 at 16:00 UTC. A payload verifies only on the
        contract of its own generation.
        {isSame && ' These are identical.'}
      </Muted>
      <Spoiler maxHeight={180} showLabel="Show all" hideLabel="Show less">
        <ul className={classes.payloads}>
          {payloads.map(({ call, format, encoding, data, key, inspector }) => (
            <li key={key}>
              <strong>{callTitle(call)}</strong>
              <span>
                {call.source === 'router' ? null : (
                  <Badge>
                    <Generation data={data} />
                  </Badge>
                )}
              </span>
              <span className={classes.soft}>
                <code>{clipped(format, 40)}</code>, {clipped(encoding, 20)}, {groupDigits(data.length)}{' '}
                characters
              </span>
              <Group gap="xs">
                <CopyButton value={data} label={`Copy ${clipped(format, 40)}: ${callTitle(call)}`} />
                {inspector && <Link href={inspector}>Inspect</Link>}
              </Group>
            </li>
          ))}
        </ul>
      </Spoiler>
    </Paper>
  );
}

const UNREADABLE = { name: 'Unreadable', format: 'unreadable payload' };

/** Determined from the signatures. The code for reading them is loaded on demand. */
export function Generation({ data, as = 'name' }: { data: string; as?: 'name' | 'format' }) {
  const { data: generation } = useQuery({
    queryKey: ['payload-generation', data],
    queryFn: async () => {
      const [{ inspectText }, { checkUpdate, GENERATIONS }] = await Promise.all([
        import('@/lib/prices/payload/inspect'),
        import('@/lib/prices/payload/check'),
      ]);
      const [payload] = inspectText(data).payloads;
      return payload?.kind === 'update' ? GENERATIONS[checkUpdate(payload).generation] : UNREADABLE;
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return <>{generation?.[as] ?? '…'}</>;
}

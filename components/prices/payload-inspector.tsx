'use client';
import { Alert, Button, FileButton, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { type ClipboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Link } from '@/components/ui/link';
import { Muted } from '@/components/ui/text';
import { explainFailure } from '@/lib/core/explain-failure';
import type { FeedId } from '@/lib/core/feed';
import { fetchGatewayText } from '@/lib/core/gateway';
import { countOf } from '@/lib/core/numbers';
import { failed } from '@/lib/core/outcome';
import {
  INSPECT_PARAM,
  type InspectedUpdate,
  inspectedRoute,
  inspectLink,
  parseInspectText,
} from '@/lib/core/payload-link';
import { clipped } from '@/lib/core/text';
import { formatIsoSeconds } from '@/lib/core/time';
import {
  type Inspection,
  inspectAnswer,
  inspectFile,
  inspectText,
  MAX_PAYLOAD_BYTES,
} from '@/lib/prices/payload/inspect';
import { PayloadResult, useFeedNames } from './payload-result';

/** Feed of the example payload, BTC/USD. */
const EXAMPLE = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43' as FeedId;

/** Pasted or chosen payload. */
type Given = { name?: string; size: number; text?: string; inspect: () => Inspection };

/**
 * Decodes a binary update: one that is pasted or chosen here, or the one that the URL names (`inspectLink`), which is
 * fetched with its parsed form to compare. A payload given here removes that of the URL, and the other way round.
 */
export function PayloadInspector() {
  const [linked, setLinked] = useQueryState(INSPECT_PARAM, parseAsString.withOptions({ history: 'push' }));
  const { update, problem } = useMemo(() => (linked ? parseInspectText(linked) : {}), [linked]);
  const [given, setGiven] = useState<Given>();
  const shown = update === undefined ? given : undefined;
  // Deferred, so that a payload of a megabyte does not block typing.
  const deferred = useDeferredValue(shown);
  const inspection = useMemo(() => deferred?.inspect(), [deferred]);
  const give = (next: Given | undefined) => {
    setGiven(next);
    if (linked !== null) void setLinked(null);
  };
  return (
    <Stack component="section" aria-labelledby="payload-inspector-title" gap="sm">
      <Title order={2} id="payload-inspector-title" className="sr-only">
        Payload inspector
      </Title>
      <PayloadInput given={shown} onGive={give} />
      {problem === undefined ? null : <Alert color="bad">Invalid link. {problem}</Alert>}
      {update && <Linked key={linked} update={update} onLeave={() => give(undefined)} />}
      {inspection === undefined ? null : <PayloadResult inspection={inspection} />}
      {update !== undefined || shown !== undefined ? null : (
        <Muted>
          Example: latest Crypto.BTC/USD from the{' '}
          <Link href={inspectLink('updates', 'latest', [EXAMPLE])}>price update service</Link> or the{' '}
          <Link href={inspectLink('upgraded', 'latest', [EXAMPLE])}>upgraded host</Link>.
        </Muted>
      )}
    </Stack>
  );
}

/** Longer text is decoded without being put into the field, since browsers take seconds to lay it out. */
const MAX_SHOWN_CHARACTERS = 20_000;
/** Larger files are refused without being read. */
const MAX_FILE_BYTES = 8 * MAX_PAYLOAD_BYTES;

function givenText(text: string): Given | undefined {
  return text.trim() === '' ? undefined : { size: text.length, text, inspect: () => inspectText(text) };
}

type InputProps = { given: Given | undefined; onGive: (given: Given | undefined) => void };

/** Field for pasted text and files. Its content is decoded on each change. */
function PayloadInput({ given, onGive }: InputProps) {
  const [problem, setProblem] = useState('');
  const give = (next: Given | undefined) => {
    setProblem('');
    onGive(next);
  };
  async function readFile(file: File | null | undefined) {
    if (!file) return;
    if (file.size > MAX_FILE_BYTES)
      return setProblem(`The file is too large: ${countOf(file.size, 'byte')}.`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      give({ name: file.name, size: bytes.length, inspect: () => inspectFile(bytes) });
    } catch {
      setProblem('The browser could not read the file.');
    }
  }
  /** Decodes a long text without putting it into the field. */
  function paste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain');
    if (text.length <= MAX_SHOWN_CHARACTERS) return;
    event.preventDefault();
    give(givenText(text));
  }
  const isShown = given?.text !== undefined && given.text.length <= MAX_SHOWN_CHARACTERS;
  const about = given?.name === undefined ? 'Pasted' : `File “${clipped(given.name, 80)}”`;
  return (
    <div>
      <Textarea
        label="Binary update"
        description="Decodes signers, proofs and prices at once, without a button. What you paste stays in this browser."
        rows={4}
        spellCheck={false}
        autoComplete="off"
        placeholder="Hex, base64 or a whole answer as JSON"
        value={isShown ? given.text : ''}
        error={problem || undefined}
        onPaste={paste}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (file !== undefined) event.preventDefault();
          void readFile(file);
        }}
        onChange={(event) => give(givenText(event.currentTarget.value))}
      />
      <Group gap="sm" mt="xs">
        <FileButton onChange={readFile} inputProps={{ 'aria-label': 'File with a binary update' }}>
          {(props) => <Button {...props}>Choose a file</Button>}
        </FileButton>
        {given === undefined ? (
          <Button component={Link} href={inspectLink('updates', 'latest', [EXAMPLE])}>
            Load a sample
          </Button>
        ) : (
          <Button onClick={() => give(undefined)}>Clear</Button>
        )}
        {given === undefined || isShown ? null : (
          <Muted>
            {about}, {countOf(given.size, 'byte')}
          </Muted>
        )}
      </Group>
    </div>
  );
}

const HOST_NAMES = { updates: 'price update service', upgraded: 'upgraded price update service' } as const;

/** Update named by the URL: the request and its result. */
function Linked({ update, onLeave }: { update: InspectedUpdate; onLeave: () => void }) {
  const names = useFeedNames();
  const { data, refetch, isFetching } = useQuery({
    queryKey: ['inspected-update', inspectedRoute(update)],
    queryFn: async ({ signal }) => {
      const text = await fetchGatewayText(inspectedRoute(update), signal);
      // A failure of our own server keeps its side: only the inspection below is attributed to the service.
      if (!text.ok) return text;
      const read = inspectAnswer(text.value);
      return read.ok ? read : failed<Inspection>({ ...read.failure, service: update.host });
    },
    // Never refetched, so that the payload does not change while it is read.
    staleTime: Number.POSITIVE_INFINITY,
    // Structural sharing works on JSON only; answers hold bytes and bigints.
    structuralSharing: false,
  });
  const again = () => void refetch();
  const { host, at, ids } = update;
  const [first, ...others] = ids;
  const feed = first === undefined ? 'no feed' : (names.get(first) ?? `feed ${first.slice(0, 8)}…`);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <p>
          {at === 'latest' ? 'Latest update' : `First update at or after ${formatIsoSeconds(at * 1000)}`} of{' '}
          <bdi className="foreign">{feed}</bdi>
          {others.length === 0 ? '' : ` and ${others.length} more`}, from the {HOST_NAMES[host]}.
        </p>
        <Button onClick={again} disabled={isFetching}>
          Refresh
        </Button>
        <Button onClick={onLeave}>Close</Button>
        <CopyButton
          value={`${window.location.origin}${inspectLink(host, at, ids)}`}
          label="Copy link to this update"
        />
      </Group>
      {at === 'latest' ? null : (
        <Muted size="sm">Links are precise to the second; this may be another update of that second.</Muted>
      )}
      {isFetching ? <Text role="status">Loading…</Text> : null}
      {data === undefined ? null : data.ok ? (
        <PayloadResult inspection={data.value} requestedFeeds={ids} />
      ) : (
        <FailureNotice
          {...explainFailure(data.failure)}
          shown=""
          todo={data.failure.kind === 'missing' ? 'Try another time or feed.' : ''}
          onRetry={again}
        />
      )}
    </Stack>
  );
}

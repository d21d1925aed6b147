'use client';
import { Alert, Button, FileButton, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { type ClipboardEvent, useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Link } from '@/components/ui/link';
import { Soft } from '@/components/ui/text';
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

/** The first feed of most boards, to have something to look at. */
const EXAMPLE = 'e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43' as FeedId;

/** What somebody gave us to inspect. */
type Given = { name?: string; size: number; text?: string; inspect: () => Inspection };

/**
 * Takes a binary update apart: one that is pasted or chosen here, or the one that the address names (`inspectLink`), which is
 * fetched with its parsed form to compare. What is given here takes the address's word away, and the other way round.
 */
export function PayloadInspector() {
  const [linked, setLinked] = useQueryState(INSPECT_PARAM, parseAsString.withOptions({ history: 'push' }));
  const { asked, problem } = useMemo(() => (linked ? parseInspectText(linked) : {}), [linked]);
  const [given, setGiven] = useState<Given>();
  const shown = asked === undefined ? given : undefined;
  // A megabyte is read and drawn when the browser has time for it, and not while somebody types.
  const taken = useDeferredValue(shown);
  const inspection = useMemo(() => taken?.inspect(), [taken]);
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
      {asked && <Linked key={linked} asked={asked} onLeave={() => give(undefined)} />}
      {inspection === undefined ? null : <PayloadResult inspection={inspection} />}
      {asked !== undefined || shown !== undefined ? null : (
        <Soft>
          Example: latest Crypto.BTC/USD from the{' '}
          <Link href={inspectLink('updates', 'latest', [EXAMPLE])}>price update service</Link> or the{' '}
          <Link href={inspectLink('upgraded', 'latest', [EXAMPLE])}>upgraded host</Link>.
        </Soft>
      )}
    </Stack>
  );
}

/** A field with more text in it takes browsers seconds to lay out; it is read all the same, and not put there. */
const LONGEST_SHOWN = 20_000;
/** A file of which even the text would be refused. */
const LARGEST_FILE = 8 * MAX_PAYLOAD_BYTES;

function givenText(text: string): Given | undefined {
  return text.trim() === '' ? undefined : { size: text.length, text, inspect: () => inspectText(text) };
}

type InputProps = { given: Given | undefined; onGive: (given: Given | undefined) => void };

/** The field to paste into, which also takes files. What is in it is read as it changes. */
function PayloadInput({ given, onGive }: InputProps) {
  const [problem, setProblem] = useState('');
  const give = (next: Given | undefined) => {
    setProblem('');
    onGive(next);
  };
  async function take(file: File | null | undefined) {
    if (!file) return;
    if (file.size > LARGEST_FILE) return setProblem(`The file is too large: ${countOf(file.size, 'byte')}.`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      give({ name: file.name, size: bytes.length, inspect: () => inspectFile(bytes) });
    } catch {
      setProblem('The browser could not read the file.');
    }
  }
  /** A long text is read without being put into the field. */
  function paste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain');
    if (text.length <= LONGEST_SHOWN) return;
    event.preventDefault();
    give(givenText(text));
  }
  const isShown = given?.text !== undefined && given.text.length <= LONGEST_SHOWN;
  const about = given?.name === undefined ? 'Pasted' : `File “${clipped(given.name, 80)}”`;
  return (
    <div>
      <Textarea
        label="Binary update"
        description="Decodes signers, proofs and prices. What you paste stays in this browser."
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
          void take(file);
        }}
        onChange={(event) => give(givenText(event.currentTarget.value))}
      />
      <Group gap="sm" mt="xs">
        <FileButton onChange={take} inputProps={{ 'aria-label': 'File with a binary update' }}>
          {(props) => <Button {...props}>Choose a file</Button>}
        </FileButton>
        {given === undefined ? null : <Button onClick={() => give(undefined)}>Clear</Button>}
        {given === undefined || isShown ? null : (
          <Soft>
            {about}, {countOf(given.size, 'byte')}
          </Soft>
        )}
      </Group>
    </div>
  );
}

const HOST_NAMES = { updates: 'price update service', upgraded: 'upgraded price update service' } as const;

/** The update that the address names: what was asked, and what came of it. */
function Linked({ asked, onLeave }: { asked: InspectedUpdate; onLeave: () => void }) {
  const names = useFeedNames();
  const { data, refetch, isFetching } = useQuery({
    queryKey: ['inspected-update', inspectedRoute(asked)],
    queryFn: async ({ signal }) => {
      const text = await fetchGatewayText(inspectedRoute(asked), signal);
      // What our own server could not do is not the service's fault.
      if (!text.ok) return text;
      const read = inspectAnswer(text.value);
      return read.ok ? read : failed<Inspection>({ ...read.failure, service: asked.host });
    },
    // What is inspected must not change under the reader.
    staleTime: Number.POSITIVE_INFINITY,
    // Bytes and bigints are no JSON: nothing of an answer can be shared with the one before.
    structuralSharing: false,
  });
  const again = () => void refetch();
  const { host, at, ids } = asked;
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
        <Soft size="sm">Links are precise to the second; this may be another update of that second.</Soft>
      )}
      {isFetching ? <Text role="status">Loading…</Text> : null}
      {data === undefined ? null : data.ok ? (
        <PayloadResult inspection={data.value} asked={ids} />
      ) : (
        <FailureNotice
          {...explainFailure(data.failure)}
          kept=""
          todo={data.failure.kind === 'missing' ? 'Try another time or feed.' : ''}
          onRetry={again}
        />
      )}
    </Stack>
  );
}

'use client';
import {
  Alert,
  Button,
  FileButton,
  Group,
  MultiSelect,
  Paper,
  Stack,
  Text,
  Textarea,
  Title,
} from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { type ClipboardEvent, type FormEvent, useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { FailureNotice } from '@/components/ui/failure-notice';
import { Choice, DraftInput } from '@/components/ui/inputs';
import { Muted } from '@/components/ui/text';
import { useSteadyWords, useTimeStyle } from '@/components/ui/time-style';
import { explainFailure } from '@/lib/core/explain-failure';
import type { FeedId } from '@/lib/core/feed';
import { fetchGatewayText } from '@/lib/core/gateway';
import { countOf } from '@/lib/core/numbers';
import { failed } from '@/lib/core/outcome';
import {
  formatInspectText,
  INSPECT_PARAM,
  type InspectedUpdate,
  inspectedRoute,
  inspectLink,
  parseInspectText,
} from '@/lib/core/payload-link';
import { clipped, shortenHex } from '@/lib/core/text';
import { formatIsoSeconds, microsToMillis, millisToSeconds } from '@/lib/core/time';
import { momentFieldText, typedMoment } from '@/lib/core/time-text';
import { SOURCE_NAMES } from '@/lib/prices/comparison';
import {
  type Inspection,
  inspectAnswer,
  inspectFile,
  inspectText,
  MAX_PAYLOAD_BYTES,
  publishSecond,
} from '@/lib/prices/payload/inspect';
import { parseMoment } from '@/lib/prices/view';
import classes from './payload.module.css';
import { PayloadResult, useFeedNames } from './payload-result';

/** Decoded at first, so that the page shows what it does. */
const SAMPLE: InspectedUpdate = {
  host: 'updates',
  at: 'latest',
  ids: ['e62df6c8b4a85fe1a67db44dc12de5db330f7ac66b72dc658afedf0f4a415b43' as FeedId],
};

type PayloadSource = { name?: string; size: number; text?: string; inspect: () => Inspection };

/** The URL's update (`inspectLink`) is compared with its parsed form. It and a payload entered here replace each other. */
export function PayloadInspector() {
  const [linked, setLinked] = useQueryState(INSPECT_PARAM, parseAsString.withOptions({ history: 'push' }));
  const { update = SAMPLE, problem } = useMemo(() => (linked ? parseInspectText(linked) : {}), [linked]);
  const client = useQueryClient();
  const [source, setSource] = useState<PayloadSource>();
  const isPhone = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const [isOpen, { toggle, close }] = useDisclosure();
  const shown = linked === null ? source : undefined;
  // Deferred, so that a payload of a megabyte does not block typing.
  const deferred = useDeferredValue(shown);
  const inspection = useMemo(() => deferred?.inspect(), [deferred]);
  const give = (next: PayloadSource | undefined) => {
    setSource(next);
    if (linked !== null) void setLinked(null);
  };
  /** Fetches again even the update that is shown. */
  function fetchUpdate(next: InspectedUpdate) {
    void client.invalidateQueries({ queryKey: keyOf(next) });
    void setLinked(formatInspectText(next));
    close();
  }
  return (
    <section aria-labelledby="payload-inspector-title" className={classes.panes}>
      <Title order={2} id="payload-inspector-title" className="sr-only">
        Payload inspector
      </Title>
      <Paper withBorder p="md" className={classes.source}>
        {isPhone && (
          <Button fullWidth aria-expanded={isOpen} onClick={toggle}>
            Fetch or paste an update
          </Button>
        )}
        <Stack gap="lg" mt={isPhone ? 'md' : undefined} display={isPhone && !isOpen ? 'none' : undefined}>
          <FetchForm update={update} onFetch={fetchUpdate} />
          <PayloadInput source={shown} onChange={give} />
        </Stack>
      </Paper>
      <Paper withBorder p="md">
        {problem !== undefined ? (
          <Alert color="bad">Invalid link. {problem}</Alert>
        ) : shown === undefined ? (
          <Fetched key={inspectedRoute(update)} update={update} />
        ) : inspection === undefined ? (
          <Text role="status">Decoding…</Text>
        ) : (
          <PayloadResult inspection={inspection} />
        )}
      </Paper>
    </section>
  );
}

const HOSTS = { updates: SOURCE_NAMES.updates.name, upgraded: SOURCE_NAMES.upgraded.name };

const QUERY = 'inspected-update';
const keyOf = (update: InspectedUpdate) => [QUERY, inspectedRoute(update)];

const MAX_LISTED = 50;

type FetchProps = { update: InspectedUpdate; onFetch: (update: InspectedUpdate) => void };

/** A fetched update is part of the URL. */
function FetchForm({ update, onFetch }: FetchProps) {
  // Another update (Back, a link) replaces the draft.
  const [state, setState] = useState({ seen: update, draft: update });
  const draft = state.seen === update ? state.draft : update;
  const { host, at, ids } = draft;
  const isFetching = useIsFetching({ queryKey: [QUERY] }) > 0;
  const names = useFeedNames();
  const style = useTimeStyle();
  const change = (part: Partial<InspectedUpdate>) => setState({ seen: update, draft: { ...draft, ...part } });
  function submit(event: FormEvent) {
    event.preventDefault();
    onFetch(draft);
  }
  const read = (text: string) => {
    const us = parseMoment(/^\d+$/.test(text) ? text : (typedMoment(text, style) ?? ''));
    return text === '' ? 'latest' : us && millisToSeconds(microsToMillis(us));
  };
  return (
    <Stack component="form" gap="xs" aria-label="Fetch an update" onSubmit={submit}>
      <Title order={3}>Fetch an update</Title>
      <Choice label="Host" names={HOSTS} value={host} onChoose={(chosen) => change({ host: chosen })} />
      <MultiSelect
        role="combobox"
        label="Feeds"
        data={[...new Set([...ids, ...names.keys()])].map((id) => ({
          value: id,
          // Short, so that the name takes no line less when it comes.
          label: names.get(id) ?? shortenHex(`0x${id}`),
        }))}
        value={[...ids]}
        searchable
        limit={MAX_LISTED}
        nothingFoundMessage="No results"
        onChange={(chosen) => chosen.length > 0 && change({ ids: chosen as FeedId[] })}
      />
      <DraftInput
        label="Publish time"
        placeholder="Latest"
        value={at === 'latest' ? '' : momentFieldText(formatIsoSeconds(at * 1000), style)}
        problemOf={(text) =>
          read(text) === undefined ? 'Use 2026-11-20T12:00:00Z or unix seconds' : undefined
        }
        onApply={(text) => {
          const next = read(text);
          if (next !== undefined) change({ at: next });
        }}
      />
      <Button type="submit" variant="filled" mt="xs" disabled={isFetching}>
        {isFetching ? 'Fetching…' : 'Fetch'}
      </Button>
    </Stack>
  );
}

/** Browsers take seconds to lay out longer text, so it is decoded without being put into the field. */
const MAX_SHOWN_CHARACTERS = 20_000;
/** Limit of a file; larger ones are not read. */
const MAX_FILE_BYTES = 8 * MAX_PAYLOAD_BYTES;

/** Decodes at most once. React restarts a deferred render whenever something else on the page changes. */
function once(decode: () => Inspection): () => Inspection {
  let done: Inspection | undefined;
  return () => {
    done ??= decode();
    return done;
  };
}

function textSource(text: string): PayloadSource | undefined {
  return text.trim() === '' ? undefined : { size: text.length, text, inspect: once(() => inspectText(text)) };
}

type InputProps = {
  source: PayloadSource | undefined;
  onChange: (source: PayloadSource | undefined) => void;
};

function PayloadInput({ source, onChange }: InputProps) {
  const [problem, setProblem] = useState('');
  const give = (next: PayloadSource | undefined) => {
    setProblem('');
    onChange(next);
  };
  async function readFile(file: File | null | undefined) {
    if (!file) return;
    if (file.size > MAX_FILE_BYTES)
      return setProblem(`The file is too large: ${countOf(file.size, 'byte')}.`);
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      give({ name: file.name, size: bytes.length, inspect: once(() => inspectFile(bytes)) });
    } catch {
      setProblem('The browser could not read the file.');
    }
  }
  function paste(event: ClipboardEvent) {
    const text = event.clipboardData.getData('text/plain');
    if (text.length <= MAX_SHOWN_CHARACTERS) return;
    event.preventDefault();
    give(textSource(text));
  }
  const isShown = source?.text !== undefined && source.text.length <= MAX_SHOWN_CHARACTERS;
  const sourceName = source?.name === undefined ? 'Pasted' : `File “${clipped(source.name, 80)}”`;
  return (
    <Stack component="section" gap="xs" aria-label="Or paste one">
      <Title order={3}>Or paste one</Title>
      <Textarea
        aria-label="Binary update"
        description="Stays in this browser."
        inputWrapperOrder={['input', 'description', 'error']}
        rows={7}
        spellCheck={false}
        autoComplete="off"
        placeholder="Hex, base64 or a whole answer as JSON"
        value={isShown ? source.text : ''}
        error={problem || undefined}
        onPaste={paste}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (file !== undefined) event.preventDefault();
          void readFile(file);
        }}
        onChange={(event) => give(textSource(event.currentTarget.value))}
      />
      <Group gap="sm">
        <FileButton onChange={readFile} inputProps={{ 'aria-label': 'File with a binary update' }}>
          {(props) => <Button {...props}>Choose a file</Button>}
        </FileButton>
        {source === undefined ? null : <Button onClick={() => give(undefined)}>Clear</Button>}
        {source === undefined || isShown ? null : (
          <Muted>
            {sourceName}, {countOf(source.size, 'byte')}
          </Muted>
        )}
      </Group>
    </Stack>
  );
}

function Fetched({ update }: { update: InspectedUpdate }) {
  const names = useFeedNames();
  const { data, dataUpdatedAt, refetch, isFetching } = useQuery({
    queryKey: keyOf(update),
    queryFn: async ({ signal }) => {
      const text = await fetchGatewayText(inspectedRoute(update), signal);
      // A failure of our own server is not attributed to the service.
      if (!text.ok) return text;
      const read = inspectAnswer(text.value);
      return read.ok ? read : failed<Inspection>({ ...read.failure, service: update.host });
    },
    // Never refetched, so that the payload does not change while somebody reads it.
    staleTime: Number.POSITIVE_INFINITY,
    // Structural sharing works only on JSON, but answers contain bytes and bigints.
    structuralSharing: false,
  });
  const again = () => void refetch();
  const { host, at, ids } = update;
  const words = useSteadyWords();
  // A link to the latest update would lead to a later one.
  const second = at === 'latest' ? data?.ok && publishSecond(data.value) : at;
  const [first, ...others] = ids;
  const feed = first === undefined ? 'no feed' : (names.get(first) ?? `feed ${first.slice(0, 8)}…`);
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Title order={3} size="h2">
          <bdi className="foreign">{feed}</bdi>
          {others.length === 0 ? '' : ` and ${others.length} more`}
        </Title>
        <Muted>
          {at === 'latest'
            ? `Latest update${data === undefined ? '' : ` at ${words(dataUpdatedAt)}`}`
            : `First update from ${formatIsoSeconds(at * 1000)}`}{' '}
          · {HOSTS[host]}
        </Muted>
        {second ? (
          <CopyButton
            value={`${window.location.origin}${inspectLink(host, second, ids)}`}
            label="Copy link to this update"
          />
        ) : null}
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
          nextStep={data.failure.kind === 'missing' ? 'Try another time or feed.' : ''}
          onRetry={again}
        />
      )}
    </Stack>
  );
}

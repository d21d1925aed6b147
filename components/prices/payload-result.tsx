'use client';
import { Alert, Button, Group, NativeSelect, Stack, Title } from '@mantine/core';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useDeferredValue, useMemo, useState } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { Muted } from '@/components/ui/text';
import type { FeedId, FeedUpdate } from '@/lib/core/feed';
import { countOf } from '@/lib/core/numbers';
import { clipped } from '@/lib/core/text';
import { useSymbols } from '@/lib/prices/client/use-symbols';
import { byteRanges } from '@/lib/prices/payload/byte-ranges';
import { checkUpdate } from '@/lib/prices/payload/check';
import { comparePayloadWithParsed, feedIdsOf } from '@/lib/prices/payload/compare';
import type { DecodedUpdate } from '@/lib/prices/payload/decode';
import { hexAround, type InspectedPayload, type Inspection } from '@/lib/prices/payload/inspect';
import { ByteMarks } from './byte-marks';
import classes from './payload.module.css';
import { type FeedNames, PayloadTable } from './payload-cells';
import { Conclusions } from './payload-conclusions';
import { Messages } from './payload-messages';
import { Parts, RawBytes, Signatures } from './payload-parts';

/** Names of the feeds, requested once a payload is inspected. Without a directory, ids are shown. */
export function useFeedNames(): FeedNames {
  const symbols = useSymbols().answer?.symbols;
  return useMemo(
    // Clipped, because a directory may contain texts of any length.
    () => new Map(symbols?.map(({ feedId = '', symbol }) => [feedId, clipped(symbol, 80)])),
    [symbols],
  );
}

type ResultProps = { inspection: Inspection; requestedFeeds?: readonly FeedId[] };

/** One payload at a time. Feeds of the request that no payload has are named. */
export function PayloadResult({ inspection, requestedFeeds = [] }: ResultProps) {
  const names = useFeedNames();
  const { payloads, parsed, unreadableParsed, leftOut } = inspection;
  const [chosen, setChosen] = useState(0);
  const index = chosen < payloads.length ? chosen : 0;
  const payload = payloads[index];
  const presentIds = feedIdsOf(payloads.filter((payload) => payload.kind === 'update'));
  const namesOf = (ids: readonly FeedId[]) =>
    ids.flatMap((id) => (presentIds.has(id) ? [] : [names.get(id) ?? id])).join(', ');
  const lacking = namesOf(requestedFeeds);
  const without = namesOf((parsed ?? []).map(({ id }) => id));
  const notes = [
    lacking && `Not in any payload: ${lacking}`,
    without && `In the parsed form only: ${without}`,
    unreadableParsed > 0 && `Unreadable in the parsed form: ${unreadableParsed}`,
    leftOut > 0 && `${leftOut} more payloads are not decoded`,
    ...(payload?.kind === 'update' ? payload.remarks : []),
  ].flatMap((note) => note || []);
  return (
    <Stack gap="sm">
      {payloads.length < 2 ? null : (
        <NativeSelect
          label="Payload"
          value={index}
          data={payloads.map((payload, place) => ({ value: String(place), label: nameOf(payload, place) }))}
          onChange={(event) => setChosen(Number(event.currentTarget.value))}
        />
      )}
      {notes.length === 0 ? null : (
        <Alert role="note" aria-label="Remarks">
          {notes.map((note) => (
            <p key={note}>
              <bdi className="foreign">{note}</bdi>
            </p>
          ))}
        </Alert>
      )}
      {payload === undefined ? (
        <Muted>No payload in the answer</Muted>
      ) : payload.kind === 'update' ? (
        <Update key={index} update={payload} parsed={parsed} names={names} />
      ) : (
        <Fault payload={payload} />
      )}
    </Stack>
  );
}

function Fault({ payload }: { payload: Exclude<InspectedPayload, DecodedUpdate> }) {
  const place = payload.kind === 'fault' && `byte ${payload.offset} (0x${payload.offset.toString(16)})`;
  const title = place ? `Not an update: ${payload.part}, ${place}` : 'Unreadable payload';
  return (
    <>
      <Alert color="bad" title={title}>
        <bdi className="foreign">{payload.problem}</bdi>
      </Alert>
      {place && (
        <PayloadTable
          label={`Bytes around ${place}`}
          head={['Offset', 'Hex', 'ASCII']}
          rows={hexAround(payload.bytes, payload.offset).map(({ offset, hex, ascii }) => [
            offset.toString(16).padStart(4, '0'),
            hex.map((byte, at) => {
              const place = offset + at;
              return <span key={place}>{place === payload.offset ? <mark>{byte}</mark> : byte} </span>;
            }),
            ascii,
          ])}
        />
      )}
    </>
  );
}

function nameOf(payload: InspectedPayload, place: number): string {
  if (payload.kind !== 'update') return `${place + 1}: unreadable`;
  return `${place + 1}: slot ${payload.slot}, ${countOf(payload.updates.length, 'message')}`;
}

type UpdateProps = { update: DecodedUpdate; parsed: readonly FeedUpdate[] | undefined; names: FeedNames };

function Update({ update, parsed, names }: UpdateProps) {
  // Signers are recovered after the decoded fields are on screen.
  const drawn = useDeferredValue<DecodedUpdate | undefined>(update, undefined);
  const check = useMemo(() => (drawn === update ? checkUpdate(update) : undefined), [drawn, update]);
  const signers = check?.signers.flatMap((signer) => signer ?? []) ?? [];
  const comparisons = useMemo(() => comparePayloadWithParsed(update, parsed ?? []), [update, parsed]);
  const ranges = useMemo(() => byteRanges(update), [update]);
  return (
    <ByteMarks>
      <Conclusions update={update} check={check} parsed={parsed} comparisons={comparisons} />
      <Group justify="space-between">
        <Title order={3}>{countOf(update.updates.length, 'message')}</Title>
        <Group gap="sm">
          {Object.entries(ENCODERS).map(([name, encoded]) => (
            // Encoded on click, because the text may have megabytes.
            <Button key={name} onClick={() => void navigator.clipboard.writeText(encoded(update.bytes))}>
              Copy as {name}
            </Button>
          ))}
        </Group>
      </Group>
      <div className={classes.beside}>
        <Stack gap="sm">
          <Messages {...{ update, check, comparisons, names, ranges }} />
        </Stack>
        <RawBytes update={update} ranges={ranges} />
      </div>
      <Group gap="sm">
        <Title order={3}>Signatures ({update.signatures.length})</Title>
        {signers.length > 0 && (
          <CopyButton value={signers.join('\n')} label="Copy the signer addresses" text="Copy signers" />
        )}
      </Group>
      <Signatures update={update} check={check} />
      <Parts update={update} check={check} ranges={ranges} />
      <Muted>
        @ is the byte offset. Point at a value to mark its bytes, or at bytes to mark their value.
      </Muted>
    </ByteMarks>
  );
}

const ENCODERS = {
  hex: bytesToHex,
  base64: (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
};

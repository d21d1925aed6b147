'use client';
import { Badge, Button, Group, NativeSelect, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { LatePopover } from '@/components/ui/late-popover';
import { useLive } from '@/components/ui/live-controls';
import { ErrorText, Muted, SmallButton } from '@/components/ui/text';
import { useMomentWords } from '@/components/ui/time-style';
import {
  type Acknowledged,
  MAX_NOTE_CHARACTERS,
  type OrderTarget,
  targetKey,
} from '@/lib/alerts/acknowledge';
import { useAcknowledge, useAcknowledgements } from '@/lib/alerts/client/use-acknowledgements';
import { explainFailure } from '@/lib/core/explain-failure';
import { AnswerFailed } from '@/lib/core/gateway';
import type { IncidentEvent } from '@/lib/core/incident-record';
import type { Failure } from '@/lib/core/outcome';
import { clipped } from '@/lib/core/text';
import { HOUR_MS } from '@/lib/core/time';

function troubleText(failure: Failure): string {
  if (failure.kind !== 'bad-request') return explainFailure(failure).title;
  return clipped(failure.detail, 200).replace(/\.$/, '');
}

/** Lengths of an acknowledgement, in hours. */
const LENGTHS = [
  { value: '', label: 'Until it changes' },
  { value: '1', label: 'For 1 hour' },
  { value: '8', label: 'For 8 hours' },
  { value: '24', label: 'For 1 day' },
  { value: '168', label: 'For 7 days' },
  { value: '720', label: 'For 30 days' },
];

/** When an acknowledgement ends by itself, as `isStillAcknowledged` decides. */
const RETURN_TEXTS: Record<OrderTarget['kind'], string> = {
  incident: 'Returns when its requests double or its cause changes, not merely with age.',
  request: 'Lasts until the request is no longer pending.',
  group: 'Lasts until each request is no longer pending.',
  failure: 'Returns when its requests double.',
  chain: 'Returns when its level changes or it doubles.',
};

function returnText(targets: readonly OrderTarget[]): string {
  const [first, ...others] = targets;
  if (first === undefined) return '';
  return RETURN_TEXTS[others.length > 0 && first.kind === 'request' ? 'group' : first.kind];
}

/** `what`: name for assistive technology, such as `Base: 41 stuck`. `isDone`: all requests of the group are acknowledged. */
type Props = {
  targets: readonly OrderTarget[];
  what: string;
  label?: string;
  /** `filled` beside other buttons of the same case, `light` where each row has one. */
  variant?: 'filled' | 'light';
  isDone?: boolean;
};

/** Acknowledges for all viewers. Once acknowledged, it shows who did it and offers undo. */
export function Acknowledge({ targets, what, label = 'Acknowledge', variant, isDone = false }: Props) {
  const acknowledged = useAcknowledgements();
  const live = useLive();
  const [isOpen, setOpen] = useState(false);
  const { mutate, isPending, error } = useAcknowledge(({ action }) => {
    setOpen(false);
    announce(action === 'undo' ? 'Acknowledgement undone' : 'Acknowledged');
  });
  const open = targets.filter((target) => acknowledged?.get(targetKey(target)) === undefined);
  if (targets.length > 1 && open.length === 0) return null;
  const [first] = targets;
  const acknowledgement = first && targets.length === 1 ? acknowledged?.get(targetKey(first)) : undefined;
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const forMs = Number(form.get('hours')) * HOUR_MS || null;
    const note = String(form.get('note'));
    mutate({ action: 'acknowledge', targets: open, forMs, note });
  };
  const trouble = error instanceof AnswerFailed ? troubleText(error.failure) : undefined;
  const troubleNote = trouble === undefined ? null : <ErrorText>{trouble}: nothing was changed.</ErrorText>;
  if (acknowledgement !== undefined || isDone) {
    return (
      <Stack gap={4} data-acknowledged="">
        <Group gap="xs">
          {acknowledgement === undefined ? (
            <Muted size="sm">All acknowledged</Muted>
          ) : (
            <AcknowledgedText acknowledged={acknowledgement} />
          )}
          <SmallButton
            disabled={!live || isPending}
            aria-label={`Undo acknowledgement: ${what}`}
            onClick={() => mutate({ action: 'undo', targets })}
          >
            Undo
          </SmallButton>
        </Group>
        {troubleNote}
      </Stack>
    );
  }
  return (
    <LatePopover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width="min(19rem, calc(100vw - 2rem))"
      buttonProps={{ children: label, variant, disabled: !live, 'aria-label': `${label}: ${what}` }}
    >
      <form onSubmit={onSubmit}>
        <Stack gap="xs">
          <NativeSelect label="Duration" name="hours" data={LENGTHS} />
          <Textarea
            label="Note"
            name="note"
            size="xs"
            autosize
            minRows={2}
            maxRows={6}
            maxLength={MAX_NOTE_CHARACTERS}
          />
          <Muted size="sm">Applies to everyone. {returnText(targets)}</Muted>
          {troubleNote}
          <Button type="submit" disabled={isPending}>
            Acknowledge
          </Button>
        </Stack>
      </form>
    </LatePopover>
  );
}

function AcknowledgedText({ acknowledged }: { acknowledged: Acknowledged }) {
  const moment = useMomentWords();
  return (
    <Muted size="sm">
      <strong>Acknowledged</strong> {moment(acknowledged.atMs)}
      <EventAuthor {...acknowledged} />
    </Muted>
  );
}

export function EventAuthor({ by, untilMs, note }: Pick<IncidentEvent, 'by' | 'untilMs' | 'note'>) {
  const moment = useMomentWords();
  return (
    <>
      {by === null ? null : (
        <>
          {' by '}
          <bdi>{clipped(by, 80)}</bdi>
        </>
      )}
      {untilMs === null ? null : `, until ${moment(untilMs)}`}
      {note ? (
        <>
          {': '}
          <q className="foreign">{clipped(note, MAX_NOTE_CHARACTERS)}</q>
        </>
      ) : null}
    </>
  );
}

export function AcknowledgedMark({ target }: { target: OrderTarget }) {
  const acknowledgement = useAcknowledgements()?.get(targetKey(target));
  if (acknowledgement === undefined) return null;
  return (
    <AcknowledgedBadge
      title={acknowledgement.note === '' ? undefined : clipped(acknowledgement.note, MAX_NOTE_CHARACTERS)}
    />
  );
}

export function AcknowledgedBadge({
  text = 'Acknowledged',
  title,
}: {
  text?: string | undefined;
  title?: string | undefined;
}) {
  return (
    <Badge size="sm" title={title}>
      {text}
    </Badge>
  );
}

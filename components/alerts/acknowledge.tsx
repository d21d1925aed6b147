'use client';
import { Badge, Button, Group, Popover, Stack, Textarea } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { announce } from '@/components/ui/announce';
import { Choice } from '@/components/ui/inputs';
import { useLive } from '@/components/ui/live-controls';
import { Bad, SmallButton, Soft } from '@/components/ui/text';
import { POPOVER } from '@/components/ui/theme';
import { useMomentWords } from '@/components/ui/time-style';
import { type Acknowledged, LONGEST_NOTE, MOST_TARGETS, type Target } from '@/lib/alerts/acknowledge';
import { useAcknowledgements } from '@/lib/alerts/client';
import { explainFailure } from '@/lib/core/explain-failure';
import { clipped } from '@/lib/core/text';

const HOUR_MS = 3_600_000;

/** How many hours it is kept quiet at most. */
const LENGTHS = {
  change: 'Until it changes',
  ...{ h1: 'For 1 hour', h8: 'For 8 hours', h24: 'For 1 day', h168: 'For 7 days', h720: 'For 30 days' },
};

/** `targets`: one, or several at once. `what`: for assistive technology, `Base: 41 pending`. */
type Props = { targets: readonly Target[]; what: string; label?: string };

/** Keeps something quiet for everybody, or no longer: a button that asks for how long and why, else who did and undo. */
export function Acknowledge({ targets, what, label = 'Acknowledge' }: Props) {
  const { of, order } = useAcknowledgements();
  const live = useLive();
  const [isOpen, setOpen] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  const open = targets.filter((target) => of(target) === undefined);
  const [first] = targets;
  const known = first === undefined || targets.length > 1 ? undefined : of(first);
  if (targets.length > 1 && open.length === 0) return null;
  const send = async (action: 'acknowledge' | 'undo', forMs: number | null, note: string) => {
    setBusy(true);
    const chosen = (action === 'undo' ? targets : open).slice(0, MOST_TARGETS);
    const failure = await order({ action, targets: chosen, forMs, note });
    setBusy(false);
    setTrouble(failure && explainFailure(failure).title);
    if (failure !== undefined) return;
    setOpen(false);
    announce(action === 'undo' ? 'Acknowledgement undone' : 'Acknowledged');
  };
  const said = trouble === undefined ? null : <Bad>{trouble}: nothing was changed.</Bad>;
  if (known !== undefined) {
    return (
      <Stack gap={4} data-acknowledged="">
        <Group gap="xs">
          <AcknowledgedText of={known} />
          <SmallButton
            disabled={!live || isBusy}
            aria-label={`Undo acknowledgement: ${what}`}
            onClick={() => void send('undo', null, '')}
          >
            Undo
          </SmallButton>
        </Group>
        {said}
      </Stack>
    );
  }
  return (
    <Popover {...POPOVER} opened={isOpen} onChange={setOpen} position="bottom-start">
      <Popover.Target>
        <SmallButton
          disabled={!live}
          aria-expanded={isOpen}
          aria-label={`${label}: ${what}`}
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </SmallButton>
      </Popover.Target>
      <Popover.Dropdown w="19rem" maw="calc(100vw - 2rem)">
        <AcknowledgeForm isBusy={isBusy} onSend={(forMs, note) => void send('acknowledge', forMs, note)}>
          {said}
        </AcknowledgeForm>
      </Popover.Dropdown>
    </Popover>
  );
}

type FormProps = {
  isBusy: boolean;
  onSend: (forMs: number | null, note: string) => void;
  children: ReactNode;
};

function AcknowledgeForm({ isBusy, onSend, children }: FormProps) {
  const [length, setLength] = useState<keyof typeof LENGTHS>('change');
  const [note, setNote] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend(length === 'change' ? null : Number(length.slice(1)) * HOUR_MS, note);
      }}
    >
      <Stack gap="xs">
        <Choice label="Duration" names={LENGTHS} value={length} onChoose={setLength} />
        <Textarea
          label="Note"
          size="xs"
          autosize
          minRows={2}
          maxRows={6}
          maxLength={LONGEST_NOTE}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <Soft size="sm">Applies to everyone. Returns when it doubles or its likely cause changes.</Soft>
        {children}
        <Button type="submit" disabled={isBusy}>
          Acknowledge
        </Button>
      </Stack>
    </form>
  );
}

function AcknowledgedText({ of: { by, atMs, untilMs, note } }: { of: Acknowledged }) {
  const moment = useMomentWords();
  return (
    <Soft size="sm">
      <strong>Acknowledged</strong>
      {by === null ? null : (
        <>
          {' by '}
          <bdi>{clipped(by, 80)}</bdi>
        </>
      )}{' '}
      {moment(atMs)}
      {untilMs === null ? null : `, until ${moment(untilMs)}`}
      {note === '' ? null : (
        <>
          {': '}
          <q className="foreign">{clipped(note, LONGEST_NOTE)}</q>
        </>
      )}
    </Soft>
  );
}

/** Beside what is acknowledged; nothing beside what is not. */
export function AcknowledgedMark({ target }: { target: Target }) {
  const known = useAcknowledgements().of(target);
  if (known === undefined) return null;
  return (
    <Badge title={known.note === '' ? undefined : clipped(known.note, LONGEST_NOTE)}>Acknowledged</Badge>
  );
}

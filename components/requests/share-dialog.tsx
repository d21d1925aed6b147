'use client';
import { Button, Popover, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useClipboard, useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useMomentWords, useTimeStyle } from '@/components/ui/time-style';
import { countOf } from '@/lib/core/numbers';
import { parseIsoTime } from '@/lib/core/time';
import type { ColumnLayout } from '@/lib/requests/columns';
import { sharedLink } from '@/lib/requests/share';
import type { RequestsView } from '@/lib/requests/view-shape';
import classes from './dialogs.module.css';

type Props = {
  view: RequestsView;
  /** How many match, decimal digits; undefined while not known. */
  total: string | undefined;
  /** ISO time of the rows on screen. */
  asof: string | undefined;
  layout: ColumnLayout;
};

/** The button, and what it opens: a link to exactly these rows, or to the view as it goes on. */
export function ShareDialog(props: Props) {
  const [opened, { toggle, close }] = useDisclosure(false);
  return (
    <Popover
      opened={opened}
      onChange={(open) => (open ? undefined : close())}
      width="min(24rem, calc(100vw - 1.5rem))"
      position="bottom-end"
      trapFocus
      returnFocus
      withinPortal
    >
      <Popover.Target>
        <Button data-toolbar-toggle="" size="compact-xs" onClick={toggle}>
          Share
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ShareLink {...props} />
      </Popover.Dropdown>
    </Popover>
  );
}

function ShareLink({ view, total, asof, layout }: Props) {
  const { zone } = useTimeStyle();
  const moment = useMomentWords();
  const { copy, copied, error } = useClipboard();
  const [kind, setKind] = useState<'snapshot' | 'live'>('snapshot');
  const [nowMs] = useState(Date.now);
  const link = sharedLink(view, { asof, total, layout, zone, nowMs }, window.location.origin, kind);
  const pinnedMs = asof === undefined ? nowMs : (parseIsoTime(asof) ?? nowMs);
  const count = total === undefined ? 'These rows' : countOf(total, 'request', 'requests');
  return (
    <Stack gap="sm">
      <SegmentedControl
        size="xs"
        aria-label="Link to"
        value={kind}
        onChange={setKind}
        data={[
          { value: 'snapshot', label: 'Snapshot' },
          { value: 'live', label: 'Live view' },
        ]}
      />
      <p className={classes.says}>
        {kind === 'snapshot'
          ? `${count} as of ${moment(pinnedMs)}`
          : 'Same filters, with the newest data when opened'}
      </p>
      <TextInput readOnly aria-label="Link" value={link} onFocus={(event) => event.currentTarget.select()} />
      <Button data-autofocus variant="filled" onClick={() => copy(link)}>
        <span aria-live="polite">{copied ? 'Link copied' : 'Copy link'}</span>
      </Button>
      {error === null ? null : (
        <p role="alert" className={classes.problem}>
          Clipboard blocked. Select the link and copy it.
        </p>
      )}
    </Stack>
  );
}

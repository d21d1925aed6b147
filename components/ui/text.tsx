'use client';
import { Button, Text } from '@mantine/core';

/** What stands beside the matter, in a line of its own or within one; what went wrong; a button within text or a table. */
export const Soft = Text.withProps({ c: 'dimmed' });
export const Dim = Text.withProps({ c: 'dimmed', span: true });
export const Bad = Text.withProps({ c: 'var(--ks-bad)', role: 'alert' });
export const SmallButton = Button.withProps({ size: 'compact-xs' });

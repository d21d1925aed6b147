'use client';
import { Alert, Stack } from '@mantine/core';
import type { ComponentType } from 'react';
import { SmallButton } from './text';

function PartNotLoaded() {
  return (
    <Alert color="bad">
      <Stack gap="sm" align="start">
        <p>This part of the page failed to load.</p>
        <SmallButton onClick={() => window.location.reload()}>Reload the page</SmallButton>
      </Stack>
    </Alert>
  );
}

/** A lazy component becomes a notice if loading fails, so that a lost connection does not break the page. */
export function noticeOnFailure<Props>(part: Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  return part.catch(() => PartNotLoaded);
}

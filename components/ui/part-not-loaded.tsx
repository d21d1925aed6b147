'use client';
import { Alert, Stack } from '@mantine/core';
import type { ComponentType } from 'react';
import { SmallButton } from './text';

/** Stands where a part of the page could not be fetched from the dashboard; the rest of the page stays as it is. */
export function PartNotLoaded() {
  return (
    <Alert color="bad">
      <Stack gap="sm" align="start">
        <p>This part of the page failed to load.</p>
        <SmallButton onClick={() => window.location.reload()}>Reload the page</SmallButton>
      </Stack>
    </Alert>
  );
}

/** A component that is loaded on demand, or a notice in its place: a lost connection must not take the page along. */
export function orNotice<Props>(part: Promise<ComponentType<Props>>): Promise<ComponentType<Props>> {
  return part.catch(() => PartNotLoaded);
}

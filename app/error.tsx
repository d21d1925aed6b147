'use client';
import { Button } from '@mantine/core';
import { PageMessage } from '@/components/ui/page-message';

/** A fault of ours on one page; the frame around it, with the state of the services, stays. */
export default function PageError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <PageMessage
      title="This page broke"
      text="The fault is in this dashboard, not in one of the services. The other pages still work; trying again may help."
      detail={error.digest === undefined ? undefined : `The server’s log names it ${error.digest}.`}
    >
      <Button onClick={reset}>Try again</Button>
    </PageMessage>
  );
}

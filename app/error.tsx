'use client';
import { Button } from '@mantine/core';
import { PageMessage } from '@/components/ui/page-message';

type Props = { error: Error & { digest?: string }; reset: () => void };

/** Shown for an internal error on one page. The frame around it, with the state of the services, stays. */
export default function PageError({ error, reset }: Props) {
  return (
    <PageMessage
      title="Something went wrong"
      text="The dashboard failed, not a service. Other pages still work."
      detail={error.digest && `Reference in the server log: ${error.digest}`}
    >
      <Button onClick={reset}>Try again</Button>
    </PageMessage>
  );
}

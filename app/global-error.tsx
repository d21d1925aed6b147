'use client';
import '@/components/ui/tokens.css';
import '@/components/ui/base.css';
import { PageMessage } from '@/components/ui/page-message';

/** The frame itself broke: nothing of it, and no library, can be relied on here. */
export default function GlobalError({
  error,
  reset,
}: {
  error: Error & { digest?: string };
  reset: () => void;
}) {
  return (
    <html lang="en">
      <body>
        <PageMessage
          title="The dashboard broke"
          text="The fault is in this dashboard, not in one of the services."
          detail={error.digest === undefined ? undefined : `The server’s log names it ${error.digest}.`}
        >
          <button type="button" onClick={reset}>
            Try again
          </button>
        </PageMessage>
      </body>
    </html>
  );
}

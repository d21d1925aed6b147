'use client';
import '@/components/ui/tokens.css';
import '@/components/ui/base.css';
import { PageMessage } from '@/components/ui/page-message';

type Props = { error: Error & { digest?: string }; reset: () => void };

/** Shown if the frame itself failed, so neither its parts nor any library can be used here. */
export default function GlobalError({ error, reset }: Props) {
  return (
    <html lang="en">
      <body>
        <PageMessage
          title="Something went wrong"
          text="The dashboard failed, not a service."
          detail={error.digest && `Reference in the server log: ${error.digest}`}
        >
          <button type="button" onClick={reset}>
            Try again
          </button>
        </PageMessage>
      </body>
    </html>
  );
}

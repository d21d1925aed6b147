'use client';
import { CopyButton } from '@/components/ui/copy-button';
import { logsCallAsCurl } from '@/lib/client/curl';
import type { ListedRecord } from '@/lib/client/related-requests';
import { numberQuery } from '@/lib/client/request-lookup';
import { retryCommand } from '@/lib/domain/retry-command';
import { useNetwork } from './networks-context';
import classes from './request-content.module.css';
import { Section } from './request-section';

function Command({ text, label }: { text: string; label: string }) {
  return (
    <div className={classes.command}>
      <pre className="foreign">{text}</pre>
      <CopyButton value={text} label={label} />
    </div>
  );
}

/** How a failed callback is run again; for a pending request, why that can't be done. */
export function RequestRetry({ record }: { record: ListedRecord }) {
  const network = useNetwork(record.networkId);
  const retry = retryCommand(record, network);
  if (retry.kind === 'none') return null;
  return (
    <Section title={record.state.kind === 'pending' ? 'Reveal by hand' : 'Run the callback again'}>
      {retry.kind === 'impossible' ? (
        <p className={classes.soft}>{retry.because}</p>
      ) : (
        <>
          <p className={classes.soft}>
            With Foundry’s <code>cast</code>, from an account of yours; it costs gas, and the callback may
            fail again.
          </p>
          <Command text={retry.text} label="Copy the retry command" />
        </>
      )}
    </Section>
  );
}

/** The question to the log service that finds this request, for a terminal. */
export function RequestCall({ record }: { record: ListedRecord }) {
  return (
    <Section title="As curl">
      <Command text={logsCallAsCurl(numberQuery(record))} label="Copy the call as curl" />
    </Section>
  );
}

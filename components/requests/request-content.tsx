'use client';
import { clipped } from '@/lib/client/foreign-text';
import type { ListedRecord } from '@/lib/client/related-requests';
import { stateSentence } from '@/lib/client/request-facts';
import type { Network } from '@/lib/domain/network';
import type { UnreadableRow } from '@/lib/domain/request-record';
import { RequestCall, RequestRetry } from './request-commands';
import classes from './request-content.module.css';
import { RequestDiagnosis } from './request-diagnosis';
import { FurtherMembers, RequestIdentity } from './request-facts';
import { RequestFailure } from './request-failure';
import { RequestGas } from './request-gas';
import { RequestNeighbours } from './request-neighbours';
import { RequestRandomNumber } from './request-random';
import { RawJson } from './request-raw';
import { RelatedSections } from './request-related';
import { RequestTimeline } from './request-timeline';
import { RequestWatch } from './request-watch';
import { StateBadge } from './state-badge';
import { useRememberedRequest } from './use-remembered-request';

/** Where the request stands, in a badge and a sentence. */
export function RequestStanding({ record }: { record: ListedRecord }) {
  return (
    <p className={classes.standing}>
      <StateBadge state={record.state} /> <span>{stateSentence(record)}</span>{' '}
      <RequestWatch record={record} />
    </p>
  );
}

/** All that is known of a request: one column in a panel, two on a wide page. */
export function RequestContent({ record, networks }: { record: ListedRecord; networks: readonly Network[] }) {
  useRememberedRequest(record);
  return (
    <div className={classes.content}>
      <div className={classes.columns}>
        <div className={classes.column} data-place="facts">
          <RequestDiagnosis record={record} />
          <RequestFailure record={record} />
          <RequestRetry record={record} />
          <RequestTimeline record={record} />
          <RequestIdentity record={record} />
          <RequestGas record={record} />
          <RequestRandomNumber record={record} />
          <FurtherMembers record={record} />
        </div>
        <div className={classes.column} data-place="related">
          <RequestNeighbours record={record} />
          <RelatedSections record={record} networks={networks} />
        </div>
        <div className={classes.column} data-place="wire">
          <RequestCall record={record} />
          <RawJson text={record.rawJson} />
        </div>
      </div>
    </div>
  );
}

/** A row that is no request: why not, and its JSON. */
export function UnreadableContent({ row }: { row: Pick<UnreadableRow, 'problem' | 'rawJson'> }) {
  return (
    <div className={classes.content}>
      <div className={classes.column}>
        <p className={classes.verdict} data-tone="odd">
          This row can’t be read: {clipped(row.problem, 300)}
        </p>
        <RawJson text={row.rawJson} />
      </div>
    </div>
  );
}

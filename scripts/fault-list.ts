import { BROWSER_FAULTS } from './faults/browser';
import { DATA_FAULTS } from './faults/data';
import type { FaultGroup } from './faults/fault';
import { HTTP_FAULTS } from './faults/http';
import { PEOPLE_FAULTS } from './faults/people';
import { PROCESS_FAULTS } from './faults/process';
import { STREAM_FAULTS } from './faults/stream';

/**
 * What goes wrong, and which tests show what happens then: `npm run faults` runs them and reports. `fault-list.test.ts`
 * holds the titles to those that exist.
 */
export const FAULT_GROUPS: readonly FaultGroup[] = [
  { heading: 'HTTP', faults: HTTP_FAULTS },
  { heading: 'Stream', faults: STREAM_FAULTS },
  { heading: 'Data', faults: DATA_FAULTS },
  { heading: 'Browser and proxy', faults: BROWSER_FAULTS },
  { heading: 'Process', faults: PROCESS_FAULTS },
  { heading: 'People', faults: PEOPLE_FAULTS },
];

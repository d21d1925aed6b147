import { type Fault, seen, shown } from './fault';

const PROCESS = 'e2e/process.spec.ts';

export const PROCESS_FAULTS: readonly Fault[] = [
  {
    what: 'SIGTERM and Ctrl-C: streams end, exit within 10 s, no orphan',
    tests: shown(
      PROCESS,
      'SIGTERM ends the dashboard although streams are open',
      'SIGINT ends the dashboard although streams are open',
      'SIGTERM to npm leaves no orphan behind',
    ),
  },
  {
    what: 'port taken: one line, non-zero',
    tests: shown(PROCESS, 'a taken port ends the start with one line'),
  },
  {
    what: 'setting missing or malformed',
    tests: [
      ...shown(
        PROCESS,
        'no service at all refuses to start with one line that names SANDBOX',
        'a malformed URL refuses to start with one line that names LOGS_URL',
        'a missing key file refuses to start with one line that names UPDATES_API_KEY_FILE',
      ),
      ...seen('feed-quiet', 'no price service is configured? The page says so, and what to set'),
    ],
  },
  {
    what: 'key file rotated: the new key is used without a restart',
    tests: [
      ...shown(
        'lib/server/secret.test.ts',
        'uses a rotated key within a second, and reads the file at most once in that time',
      ),
      ...seen(
        'services',
        'a refused key says what to do, and a key file that changes is used without a restart',
      ),
    ],
  },
  {
    what: 'an exception in the stream pump',
    tests: shown(
      'lib/streaming/connection.test.ts',
      'survives an exception of ours in an event and in opening',
    ),
  },
  {
    what: '64 file descriptors',
    tests: shown(
      'e2e/descriptors.spec.ts',
      'it has 64 file descriptors and a crowd takes them all? It says what it lacks, goes on, and recovers',
    ),
  },
  {
    what: '20,000 clients come and go: flat heap',
    tests: shown(
      'lib/server/stream-crowds.test.ts',
      'thousands of clients come and go: the heap is flat, and no place, socket or listener is left behind',
    ),
  },
  {
    what: 'read-only disk, not root',
    tests: shown(
      PROCESS,
      'an unprivileged user can start what root has built',
      'its disk is read-only and it is not root? It starts, shows its pages, and ends as ever',
    ),
  },
];

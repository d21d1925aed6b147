import { type Fault, seen, shown } from './fault';

const ROW = 'lib/domain/log-row.test.ts';
const LOG = 'lib/server/log.test.ts';

export const DATA_FAULTS: readonly Fault[] = [
  {
    what: 'network_id and gas_limit as number or text',
    tests: [
      ...shown(ROW, 'makes one value of integers that come as number or as text'),
      ...seen(
        'odd-rows',
        'numbers that the service writes as text are shown, and passed on as text',
        'numbers that the service writes as number are shown, and passed on as text',
      ),
    ],
  },
  {
    what: 'sequence 18446744073709551615',
    tests: seen(
      'odd-rows',
      'the largest sequence number keeps every digit, in the table and through the gateway',
    ),
  },
  { what: 'unknown state', tests: seen('odd-rows', 'an unknown state is shown by its wire name') },
  {
    what: 'one bad row in 50: 49 and "1 unreadable"',
    tests: [
      ...shown(ROW, 'shows one unreadable row among fifty, and the other forty-nine'),
      ...seen('odd-rows', 'one unreadable row among 50 stands in its place, and the other 49 live'),
    ],
  },
  {
    what: 'extra, null, missing members',
    tests: [
      ...shown(
        ROW,
        'takes null for an absent member',
        'keeps unknown members, and known ones it cannot read, as their JSON',
      ),
      ...seen(
        'odd-rows',
        'members that the service invents and members that are missing hurt nobody',
        'a failed request whose provider_random_number is null is shown',
      ),
    ],
  },
  { what: 'unknown network', tests: seen('requests', 'a network that nobody knows is shown as it is') },
  {
    what: 'markup, `javascript:`, right-to-left override',
    tests: [
      ...shown(ROW, 'keeps markup, control characters and direction marks as they came'),
      ...seen('odd-rows', 'markup and direction overrides in a row stay text'),
    ],
  },
  {
    what: '1 MB strings',
    tests: seen(
      'faults-rows',
      'a text of a megabyte, a link that is a script, a text that turns round? Texts they stay, short ones, and the page lives',
    ),
  },
  {
    what: 'cells that begin with `=` `+` `-` `@` or tab in CSV',
    tests: [
      ...shown(
        'lib/server/explorer/export-text.test.ts',
        '"=1+1" is disarmed',
        '"+1" is disarmed',
        '"-1" is disarmed',
        '"@SUM(1)" is disarmed',
        '"\\t=1" is disarmed',
      ),
      ...shown(
        'e2e/export.spec.ts',
        'a cell that a spreadsheet would run is disarmed, and an odd row is in the file with its JSON',
      ),
    ],
  },
  {
    what: 'line breaks and terminal codes in a query: one JSON log line',
    tests: [
      ...shown(LOG, 'is one line of printable ASCII whatever a text holds, and says the same text'),
      ...shown(
        'e2e/faults-rows.spec.ts',
        'a query has line breaks and terminal codes? Each line of the log is still one JSON object',
      ),
    ],
  },
  {
    what: 'service clock 10 min off: a notice, never a negative age',
    tests: [
      ...shown(
        'lib/domain/service-clock.test.ts',
        'is told by its newest record, where most of the newest ones are ahead',
        'a difference of clocks is worth a line from a minute on, either way',
      ),
      ...shown(
        'lib/upstream/answer-dates.test.ts',
        'is ahead by at least what the date is after the end of the call',
        'is behind by at least what the date, with its second, is before the call',
        'is not told by an answer that a cache has kept for a while',
      ),
      ...shown('lib/domain/feed-cadence.test.ts', 'never gets better with age, and has no negative age'),
      ...seen(
        'faults-rows',
        'the clock of the service is ten minutes ahead? A notice says so, and no age is negative',
        'the clock of the service is ten minutes behind? The table and the services page say so, and call neither clock wrong',
      ),
    ],
  },
  {
    what: '`total_results` unlike the rows',
    tests: [
      ...shown(ROW, 'keeps the total as it was told, however unlike the rows'),
      ...shown(
        'lib/server/explorer/export-run.test.ts',
        'is not complete when the service counts more than it gives, and says so',
      ),
    ],
  },
  {
    what: 'rows that shift between pages',
    tests: [
      ...shown(
        'e2e/explorer-scale.spec.ts',
        'walking through fifty pages while rows arrive shows every row of the snapshot once',
      ),
      ...seen(
        'snapshot',
        'requests finish while I page through the pending ones: none is skipped, and how many went is said',
      ),
    ],
  },
  {
    what: 'nanoseconds, no zone, invalid dates',
    tests: [
      ...shown('lib/domain/units.test.ts', 'keeps every digit of the fraction while it moves the zone'),
      ...seen(
        'faults-rows',
        'times with nanoseconds, without a zone, or that no calendar has? They are read as UTC, kept, or said to be unreadable',
      ),
    ],
  },
  {
    what: 'no results, told apart from failure',
    tests: [
      ...shown(ROW, 'tells no rows apart from no answer'),
      ...seen(
        'requests',
        'nothing there? It says so, and that is no failure',
        'the service fails? What failed and what to do is said; when it is back the rows are back',
      ),
    ],
  },
];

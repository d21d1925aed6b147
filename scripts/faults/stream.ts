import { type Fault, seen, shown } from './fault';

const SSE = 'lib/streaming/sse.test.ts';
const CONNECTION = 'lib/streaming/connection.test.ts';
const HUB = 'lib/streaming/feed-hub.test.ts';
const FEED = 'lib/domain/feed.test.ts';

const eachFraming = (...names: string[]) =>
  shown(
    SSE,
    ...names.flatMap((name) => [
      `reads ${name} at every chunk size from 1 to 64`,
      `reads ${name} cut in three at every two places`,
    ]),
  );

export const STREAM_FAULTS: readonly Fault[] = [
  { what: 'LF, CRLF, CR, mixed', tests: eachFraming('LF', 'CRLF', 'bare CR', 'mixed line ends') },
  { what: 'BOM', tests: eachFraming('a byte order mark') },
  { what: 'several data lines', tests: eachFraming('several data lines') },
  {
    what: 'comments only: "connected, no updates", not "live"',
    tests: [
      ...shown('lib/streaming/update-watch.test.ts', 'turns quiet when only comments come for a while'),
      ...seen(
        'feed-quiet',
        'the service sends signs of life and no prices? It reads connected, no updates, since when, and not live',
      ),
    ],
  },
  {
    what: 'every chunk size from 1 to 64, cuts inside UTF-8',
    tests: [
      ...eachFraming('letters of two, three and four bytes'),
      ...shown(SSE, 'never throws, whatever bytes come in whatever pieces, and pieces change nothing'),
    ],
  },
  { what: 'invalid UTF-8', tests: shown(SSE, 'replaces invalid UTF-8 and goes on') },
  {
    what: 'a line without end: reconnect at the cap',
    tests: [
      ...shown(SSE, 'ends with overlong at a line that has no end'),
      ...shown(CONNECTION, 'reconnects at the cap of a line without end'),
    ],
  },
  { what: 'end without a blank line', tests: eachFraming('an end without a blank line') },
  {
    what: '`event: error`',
    tests: shown(
      'lib/server/streams.test.ts',
      'pass on an error event of the service as it is',
      'tells a broken service inside and comes back',
    ),
  },
  {
    what: 'the planned close after 24 h (scaled down): no alarm, gap under 3 s',
    tests: [
      ...shown(CONNECTION, 'takes the planned close after 24 hours without alarm and is back within 3 s'),
      ...seen(
        'feed-outages',
        'the service closes its streams again and again? The chart goes on and lacks no second',
      ),
    ],
  },
  {
    what: 'half-open connection: noticed within 45 s, a new connection',
    tests: [
      ...shown(CONNECTION, 'notices a half-open connection by silence and opens a new one within 45 s'),
      ...seen(
        'feed-quiet',
        'the connection to the service is dead without a word? It is not called live, and replaced within 45 s',
      ),
    ],
  },
  {
    what: 'reset in mid-event',
    tests: [
      ...shown(CONNECTION, 'survives a reset in the middle of an event and loses only that event'),
      ...seen('feeds', 'the stream breaks? The page says so, keeps the last prices, and comes back'),
    ],
  },
  {
    what: 'HTML with 200',
    tests: shown(
      'lib/upstream/stream-call.test.ts',
      'because the answer is a web page is a failure of the kind malformed',
    ),
  },
  {
    what: 'one bad JSON event: counted, skipped, no reconnect',
    tests: [
      ...shown(
        HUB,
        'counts and skips what cannot be read, without reconnecting, and keeps the good rows beside a bad one',
      ),
      ...seen('faults-stream', 'one event is no JSON? Prices go on over the same stream, and it is counted'),
    ],
  },
  {
    what: 'duplicates',
    tests: shown(
      'lib/streaming/feed-memory.test.ts',
      'recognises what two overlapping streams both bring, in any interleaving',
    ),
  },
  {
    what: 'older publish time: the price never goes back',
    tests: [
      ...shown(HUB, 'never tells a duplicate or an older publish time'),
      ...shown(
        'lib/client/feed-store.test.ts',
        'never lets the price go back to an update that was published earlier',
      ),
      ...seen(
        'faults-stream',
        'an older update comes, or the same again? The price on screen never goes back',
      ),
    ],
  },
  {
    what: 'a feed that vanishes',
    tests: [
      ...shown(HUB, 'keeps the last price of a feed that vanishes from the stream, and the others go on'),
      ...seen(
        'feed-board',
        'nothing is published any more? The tile is late, and a slow feed is not: each by its own cadence',
      ),
    ],
  },
  {
    what: '`parsed` absent',
    tests: [
      ...shown(FEED, 'tells parsed=false apart from an empty list'),
      ...shown(
        'lib/streaming/update-watch.test.ts',
        'is not called live by comments, nor by events that cannot be read',
      ),
    ],
  },
  {
    what: '1000 events/s: at most 60 paints/s',
    tests: [
      ...shown('lib/client/feed-store.test.ts', 'tells once per frame, however much arrived'),
      ...seen(
        'feed-flood',
        'a thousand updates a second? The page is drawn at most sixty times a second, and shows the latest',
      ),
    ],
  },
  {
    what: 'ids in other case or with `0x`',
    tests: [
      ...shown(HUB, 'takes ids in another case or with 0x'),
      ...seen('feed-page', 'the same feed by its id, and with its slash encoded'),
    ],
  },
  {
    what: 'expo −18 and +5, negative prices, zero, conf above price',
    tests: [
      ...shown(
        FEED,
        'reads odd but true prices: negative, zero, exponents of -18 and +5, confidence above the price',
      ),
      ...shown(HUB, 'shows exact figures of any size and sign'),
      ...seen(
        'faults-stream',
        'prices are negative, zero, tiny, huge, or less sure than they are large? Each is shown to its last digit',
      ),
    ],
  },
  {
    what: 'service down for 10 min with 50 tabs open: one attempt at a time',
    tests: [
      ...shown(CONNECTION, 'waits longer between attempts, one attempt at a time, however long the outage'),
      ...seen(
        'feed-outages',
        'the service is down while fifty watch? One attempt at a time, ever rarer, and all are live again',
      ),
    ],
  },
];

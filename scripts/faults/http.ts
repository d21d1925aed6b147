import { type Fault, type FaultTest, seen, shown } from './fault';

const LIMITS = 'lib/upstream/service-limits.test.ts';
const BROKEN = 'lib/upstream/http-service-faults.test.ts';
const SERVICE = 'lib/upstream/http-service.test.ts';
const GATEWAY = 'e2e/gateway.spec.ts';
const LOGS = 'lib/upstream/request-log.test.ts';
const PRICES = 'lib/upstream/price-updates.test.ts';

/** What the page shows of such answers: the kind of failure, and the rows of before as stale. */
const answersOnScreen = (what: string): FaultTest[] =>
  seen(
    'faults-answers',
    `the service answers with ${what}? It says so, the rows stay, stale since when, and it recovers`,
  );

export const HTTP_FAULTS: readonly Fault[] = [
  {
    what: '401: "key rejected", no sign-in loop, at most one call a minute',
    tests: [
      ...shown(LIMITS, 'is tried once a minute, however many ask'),
      ...shown(GATEWAY, '401 is answered with 502 unauthorized, and then the service is left in peace'),
      ...seen(
        'faults-service',
        'the service rejects our key? It says so and which setting to check, without a sign-in, and asks no more for a minute',
      ),
    ],
  },
  {
    what: '403',
    tests: [
      ...shown(LIMITS, 'is something else than a forbidden feed: a 403 holds no other call back'),
      ...shown(GATEWAY, '403 is answered with 502 unauthorized'),
      ...answersOnScreen('403'),
    ],
  },
  {
    what: '404 `Price ids not found`: that id is marked, the other feeds go on',
    tests: [
      ...shown(
        'lib/streaming/feed-hub.test.ts',
        'reads the ids out of a 404 where the service fails all for one',
      ),
      ...seen('feeds', 'one unknown id is marked, the other feeds go on'),
      ...answersOnScreen('404'),
    ],
  },
  ...(['in seconds', 'as a date', 'not at all'] as const).map((form) => ({
    what: `429 that says until when ${form}: a countdown, and not one call before it ends`,
    tests: [
      ...shown(
        LIMITS,
        `${form === 'not at all' ? 'not named' : form}: nobody calls before it is over, and everybody hears how long that is`,
      ),
      ...seen(
        'faults-service',
        `the service limits our calls and says until when ${form}? A countdown, and not one call before it ends`,
      ),
    ],
  })),
  {
    what: '500, 502, 503: back-off with jitter, gaps grow',
    tests: [
      ...shown(GATEWAY, '500 is answered with 502 failing', '503 is answered with 502 failing'),
      ...shown('lib/streaming/backoff.test.ts', 'grows whatever the jitter is'),
      ...shown(
        'lib/upstream/http-service-circuit.test.ts',
        'gets ten calls in the first minute and one a minute then, however many are asked for',
      ),
      ...answersOnScreen('500, 502 or 503'),
    ],
  },
  {
    what: 'HTML with 200',
    tests: [
      ...shown(GATEWAY, 'HTML with 200 is answered with 502 malformed'),
      ...answersOnScreen('a web page and 200'),
    ],
  },
  {
    what: 'redirects, to the same or another host: refused',
    tests: [
      ...shown(SERVICE, 'does not follow a redirect to another host with the key'),
      ...shown(GATEWAY, 'a redirect is answered with 502 malformed'),
      ...answersOnScreen('a redirect, to the same or another host'),
    ],
  },
  {
    what: 'truncated, empty, `null`, `[]`: "format", never "no results"',
    tests: [
      ...shown(LOGS, 'calls … malformed and never "no results"'),
      ...shown(PRICES, 'calls the body … malformed for updates, in the name of its host'),
      ...answersOnScreen('half an answer, nothing, null or a list'),
    ],
  },
  {
    what: '100 MB of JSON: cut at the cap, memory up by less than 100 MB',
    tests: [
      ...shown(
        BROKEN,
        'ends an endless body and its connection',
        'does not even begin with a body that is promised to be longer',
        'take a bounded sum, and the largest are given up with words of our own',
      ),
      ...seen(
        'faults-service',
        'the service sends a hundred megabytes of JSON? It is cut at the cap, said to be so, and takes less than 100 MB of memory',
      ),
    ],
  },
  {
    what: 'a gzip bomb: cut at the cap, memory up by less than 100 MB',
    tests: [
      ...shown(BROKEN, 'holds after decompression'),
      ...seen(
        'faults-service',
        'the service sends a gzip bomb? It is cut at the cap, said to be so, and takes less than 100 MB of memory',
      ),
    ],
  },
  {
    what: 'no headers: 10 s',
    tests: [
      ...shown(LIMITS, 'end a call without headers after 10 s'),
      ...seen(
        'faults-answers',
        'no headers come, or one byte a second? It says so after 10 s and after 15 s, and the rows stay',
      ),
    ],
  },
  {
    what: 'one byte a second: 15 s in all',
    tests: [
      ...shown(LIMITS, 'end a body that comes byte by byte after 15 s in all'),
      ...seen(
        'faults-answers',
        'no headers come, or one byte a second? It says so after 10 s and after 15 s, and the rows stay',
      ),
    ],
  },
  {
    what: 'refused, name not found',
    tests: [
      ...shown(BROKEN, 'is unreachable when nobody listens or the name is unknown'),
      ...seen(
        'faults-service',
        'nobody listens, or nobody has that name? Each log service says that it cannot be reached, and no page is empty',
      ),
    ],
  },
  {
    what: 'idle keep-alive connection closed under a request: one retry, unseen',
    tests: shown(
      BROKEN,
      'costs one more try over a new connection, which nobody sees',
      'is noticed when it is reset too, and for a POST',
      'costs no third try',
    ),
  },
  {
    what: 'base URL with a prefix, with and without a trailing slash',
    tests: [
      ...shown(
        SERVICE,
        'carries the key as bearer and asks for the path below the base, with and without a slash at its end',
      ),
      ...shown(
        'e2e/contract-wire.spec.ts',
        'a query of logs carries every parameter as it was written, and the key as bearer',
      ),
    ],
  },
  {
    what: 'bad parameters: 400 here, the service is not called',
    tests: [
      ...shown(
        GATEWAY,
        '/api/logs/v1/logs?min_timestamp=yesterday',
        'a router request with a quoted timestamp',
        'a router request with a missing timestamp',
      ),
      ...seen('requests', 'a link whose filter can’t be read says so instead of showing something else'),
    ],
  },
  {
    what: 'rows out of order',
    tests: [
      ...shown(
        'lib/server/explorer/listing-moving.test.ts',
        'shows every row that stays, none twice, in order of time',
      ),
      ...seen(
        'faults-rows',
        'rows come out of order? Each is there once, where the service put it, and the page goes on',
      ),
    ],
  },
  {
    what: 'any failure: problem+json with neither the service’s text as HTML nor a key',
    tests: shown(SERVICE, 'does not repeat a key that the service puts into its words', 'shows no web page'),
  },
  {
    what: 'any failure: calls to the service are bounded',
    tests: shown(
      'lib/upstream/http-service-circuit.test.ts',
      'is not asked any more, and the failure says of what sort it is and until when',
      'is asked once when it may work again; the others wait for that, and go on when it does',
    ),
  },
  {
    what: 'any failure: the last good data stays on screen, stale since when',
    tests: seen('requests', 'the service fails while I read? The last rows stay and are marked as stale'),
  },
];

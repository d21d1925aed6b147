import { type Fault, seen, shown } from './fault';

const PROXY = 'e2e/stream-proxy.spec.ts';

export const BROWSER_FAULTS: readonly Fault[] = [
  {
    what: 'offline: at most one stream, fresh data',
    tests: seen(
      'feed-tabs',
      'I was offline? All tabs say so, keep their prices, and are fresh when I am back',
    ),
  },
  {
    what: 'sleep: at most one stream, fresh data',
    tests: [
      ...shown(
        'lib/client/feed-page-life.test.ts',
        'is made anew after sleep, during which timers stood still',
      ),
      ...seen('feed-tabs', 'my computer slept? The tabs are fresh when it wakes, over one stream'),
    ],
  },
  {
    what: 'an hour hidden: at most one stream, fresh data',
    tests: seen(
      'feed-tabs',
      'I looked elsewhere for an hour? The stream is given back, and the tab is fresh when I return',
    ),
  },
  {
    what: 'back-forward cache: at most one stream, fresh data',
    tests: [
      ...shown(
        'lib/client/feed-page-life.test.ts',
        'is closed before the page goes into the back-forward cache, and opened on its return',
      ),
      ...seen(
        'feed-restored',
        'Back brings the page out of the browser’s cache? It is live at once, over one stream, and lacks nothing',
      ),
    ],
  },
  {
    what: 'seven tabs over HTTP/1.1: all work',
    tests: seen('feed-tabs', 'can I watch prices in seven tabs? All are live, over one stream'),
  },
  {
    what: 'a client that never reads: dropped, the others’ lag unchanged, its memory freed',
    tests: [
      ...shown(
        'lib/server/stream-dead-reader.test.ts',
        'a page that never reads costs one buffer, is dropped with its memory, and another page gets each update at once',
      ),
      ...shown('lib/server/streams.test.ts', 'is cut, and the others get every event'),
    ],
  },
  {
    what: 'a flood of HEAD',
    tests: [
      ...shown(
        'lib/server/stream-crowds.test.ts',
        'a flood of HEAD opens no stream of the pages, here or at the service',
      ),
      ...shown('e2e/gateway.spec.ts', 'HEAD never opens a stream'),
    ],
  },
  {
    what: 'nginx with its 60 s idle time-out',
    tests: shown(
      PROXY,
      'a proxy cuts what is idle, and no prices come? The streams say that they are there often enough',
    ),
  },
  {
    what: '`Accept-Encoding: gzip`',
    tests: shown(PROXY, 'my client offers gzip? The streams come as they are, and at once'),
  },
];

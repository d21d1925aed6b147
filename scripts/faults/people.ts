import { type Fault, seen, shown } from './fault';

const GATEWAY = 'e2e/gateway.spec.ts';
const GATE = 'lib/server/request-gate.test.ts';
const VISITOR = 'lib/server/visitor.test.ts';
const WALK = shown(
  'e2e/signed-out.spec.ts',
  'no route of the build gives data or calls a service, whatever is tried',
);

export const PEOPLE_FAULTS: readonly Fault[] = [
  {
    what: 'cross-site POST and stream (Origin, Sec-Fetch-Site)',
    tests: [
      ...shown(GATEWAY, 'a page of another site can’t read or post'),
      ...shown(
        'lib/server/guard.test.ts',
        'is refused when it is another',
        'is told by Origin where the browser says nothing else',
      ),
      ...shown('e2e/access.spec.ts', 'another site can’t sign a browser in or out, and a form can’t either'),
      ...seen(
        'faults-people',
        'a page of another site reads, posts or listens from somebody’s browser? It gets nothing, and no service is called',
      ),
    ],
  },
  {
    what: 'Host header of another name',
    tests: [
      ...shown(GATEWAY, 'another host name is misdirected, on pages and routes alike'),
      ...shown('lib/server/guard.test.ts', 'evil.example is misdirected'),
    ],
  },
  {
    what: 'forged X-Forwarded-For: never data, never a call to a service',
    tests: [
      ...shown(
        VISITOR,
        'an address claimed by a header counts for nothing where no proxy vouches for it',
        'is not opened by what a proxy would say',
      ),
      ...WALK,
    ],
  },
  {
    what: '`x-middleware-subrequest`, `RSC`: never data, never a call to a service',
    tests: [...shown(GATE, 'leaves no header that would make Next answer in place of a route'), ...WALK],
  },
  {
    what: 'encoded and doubled slashes: never data, never a call to a service',
    tests: [
      ...shown(
        GATE,
        '/api//logs/v1/logs leads nowhere',
        '/api/logs%2fv1/logs leads nowhere',
        '/api%2flogs/v1/logs leads nowhere',
      ),
      ...WALK,
    ],
  },
  {
    what: '`..%2f` in path parameters: never data, never a call to a service',
    tests: [
      ...shown(GATEWAY, '/api/updates/v2/updates/price/..%2flatest is not there'),
      ...shown(
        'lib/upstream/price-updates.test.ts',
        'makes no path of the publish time "../../admin"',
        'makes no path of the publish time "%2e%2e"',
      ),
      ...WALK,
    ],
  },
  {
    what: 'more streams from one client than it may have: 429 (the pages’ stream says it inside), others go on',
    tests: [
      ...shown(
        'lib/server/streams.test.ts',
        'are limited per client; the others go on, and a place that is free again is given out',
        'says inside what is wrong: too many streams, no ids',
      ),
      ...shown(
        'lib/server/stream-crowds.test.ts',
        'a flood of streams is refused at the limit of all, inside for pages and by 429 for programs, and others go on',
      ),
    ],
  },
  {
    what: 'identical requests at once: one call to the service',
    tests: [
      ...shown('lib/server/gateway.test.ts', 'share one call among identical requests'),
      ...shown(
        'lib/upstream/http-service.test.ts',
        'is one call for identical calls at the same time, and another one afterwards',
      ),
      ...shown(GATEWAY, 'identical queries share one upstream stream, which ends with the last listener'),
    ],
  },
];

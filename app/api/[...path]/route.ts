import { exportClient } from '@/lib/access/principal';
import { jsonReply, openRoute, ownAction, ownRoute } from '@/lib/access/reply';
import { replyToAcknowledge, replyWithAcknowledgements } from '@/lib/alerts/server/acknowledgements';
import { replyToAlertTest } from '@/lib/alerts/server/webhook';
import { feedDirectory } from '@/lib/feeds/server/feed-directory';
import { replyWithFeedHistory, replyWithFeedSamples } from '@/lib/feeds/server/past';
import { openHub } from '@/lib/feeds/server/process-hub';
import { handleGateway } from '@/lib/gateway/gateway';
import { replyWithInsights } from '@/lib/insights/server/answers';
import { replyWithProblems } from '@/lib/insights/server/problems';
import { replyWithDiagnosis, replyWithIncident, replyWithTriage } from '@/lib/pending/server/replies';
import { symbolDirectory } from '@/lib/prices/server/symbol-directory';
import {
  replyWithFind,
  replyWithListing,
  replyWithSummary,
  replyWithValues,
} from '@/lib/requests/server/answers';
import { replyWithExport } from '@/lib/requests/server/export';
import { replyWithOne } from '@/lib/requests/server/request';
import type { OwnPath } from '@/lib/runtime/http-server';
import { replyWithMetrics } from '@/lib/runtime/metrics-on-scrape';
import { replyWithSession } from '@/lib/runtime/session-reply';
import { replyWithNetworks } from '@/lib/services/network-directory';
import { checkServices, currentServicesReport, replyWithHealth } from '@/lib/services/service-report';

export const dynamic = 'force-dynamic';

/** Our own routes but for the streams, which are in pages/api. All others are the gateway's. */
const ROUTES: Readonly<Record<OwnPath, (request: Request) => Promise<Response>>> = {
  '/api/health': openRoute(replyWithHealth),
  '/api/metrics': openRoute(replyWithMetrics),
  '/api/session': replyWithSession,
  '/api/view/acknowledge': ownAction(replyToAcknowledge),
  '/api/view/acknowledgements': ownRoute(replyWithAcknowledgements),
  '/api/view/alerts/test': ownAction(replyToAlertTest),
  '/api/view/feeds': ownRoute(async () => jsonReply(await feedDirectory())),
  '/api/view/feeds/history': ownRoute(replyWithFeedHistory),
  '/api/view/feeds/samples': ownRoute(replyWithFeedSamples),
  '/api/view/insights': ownRoute((request) => replyWithInsights(request)),
  '/api/view/insights/problems': ownRoute(replyWithProblems),
  '/api/view/networks': ownRoute(replyWithNetworks),
  '/api/view/pending': ownRoute(replyWithTriage),
  '/api/view/pending/diagnosis': ownRoute(replyWithDiagnosis),
  '/api/view/pending/incident': ownRoute(replyWithIncident),
  '/api/view/requests': ownRoute((request) => replyWithListing(request)),
  '/api/view/requests/export': ownRoute((request, principal) =>
    replyWithExport(request, undefined, undefined, exportClient(principal)),
  ),
  '/api/view/requests/find': ownRoute((request) => replyWithFind(request)),
  '/api/view/requests/one': ownRoute(replyWithOne),
  '/api/view/requests/summary': ownRoute((request) => replyWithSummary(request)),
  '/api/view/requests/values': ownRoute((request) => replyWithValues(request)),
  '/api/view/services': ownRoute(() => jsonReply(currentServicesReport(openHub()?.connection))),
  '/api/view/services/check': ownAction(async () => {
    await checkServices();
    return jsonReply(currentServicesReport(openHub()?.connection));
  }),
  '/api/view/symbols': ownRoute(async () => jsonReply(await symbolDirectory())),
};

type Context = { params: Promise<{ path: string[] }> };

async function handle(request: Request, { params }: Context): Promise<Response> {
  const { pathname } = new URL(request.url);
  // Where decoding changed anything, no route matches.
  const isPlain = pathname === `/api/${(await params).path.join('/')}`;
  const own = isPlain && Object.hasOwn(ROUTES, pathname) ? ROUTES[pathname as OwnPath] : undefined;
  return own ? own(request) : handleGateway(request, isPlain);
}

// For every method, so that none falls to the framework's own answers.
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};

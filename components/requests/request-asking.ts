'use client';
import { fetchGatewayText } from '@/lib/client/gateway';
import { type AskLogs, inTurn } from '@/lib/client/related-requests';

/** At most so many background questions at once: a browser has six connections to a server. */
const background = inTurn(2);

/** Asks the log service through our gateway, behind the other questions of this kind. */
export const askGateway: AskLogs = (query, signal) =>
  background(signal, () => fetchGatewayText(`/api/logs/v1/logs?${query}`, signal));

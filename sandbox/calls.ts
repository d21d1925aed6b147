import type { IncomingHttpHeaders } from 'node:http';

/** Calls kept with their details; older ones only count. */
const KEPT_CALLS = 2000;
const KEPT_BODY_CHARS = 10_000;

export type Call = {
  /** Real time, ISO: tests measure gaps between calls, whatever the sandbox clock does. */
  at: string;
  service: string;
  /** The route's name, or 'unknown' for a path that the service does not have. */
  route: string;
  method: string;
  path: string;
  query: string;
  headers: IncomingHttpHeaders;
  /** Only for requests that have one. */
  body?: string;
};

/** Every request to a simulated service: exact counts per route, and the details of the last ones. */
export class CallLog {
  private readonly counts = new Map<string, { service: string; route: string; total: number }>();
  private readonly recent: Call[] = [];

  add(call: Call): void {
    const key = `${call.service} ${call.route}`;
    const count = this.counts.get(key) ?? { service: call.service, route: call.route, total: 0 };
    count.total += 1;
    this.counts.set(key, count);
    const { body, ...rest } = call;
    this.recent.push(body ? { ...rest, body: body.slice(0, KEPT_BODY_CHARS) } : rest);
    if (this.recent.length > KEPT_CALLS) this.recent.shift();
  }

  /** `total` counts all calls since the last `clear`, also those whose details are gone. */
  find(service: string | undefined, route: string | undefined): { total: number; calls: Call[] } {
    const matches = (call: { service: string; route: string }) =>
      (service === undefined || call.service === service) && (route === undefined || call.route === route);
    let total = 0;
    for (const count of this.counts.values()) if (matches(count)) total += count.total;
    return { total, calls: this.recent.filter(matches) };
  }

  clear(): void {
    this.counts.clear();
    this.recent.length = 0;
  }
}

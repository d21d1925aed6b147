import type { ServiceLabel } from './service';

/** What can be made to go wrong with a request. */
export type RequestFault =
  | { kind: 'status'; status: number; retryAfter?: string; body?: string; contentType?: string }
  | { kind: 'html' }
  | { kind: 'redirect'; to: string; status: number }
  | { kind: 'truncate'; bytes?: number }
  | { kind: 'body'; body: string; contentType: string }
  | { kind: 'delay'; ms: number }
  | { kind: 'trickle' }
  | { kind: 'hang' }
  | { kind: 'drop' };

/** What can be made to happen to the streams that are open now; it is done at once and not kept. */
export type StreamFault =
  | { kind: 'close-stream' }
  | { kind: 'reset-stream' }
  | { kind: 'silence' }
  | { kind: 'event'; text: string };

export type Fault = RequestFault | StreamFault;

/** Where and how long a fault holds. Neither `count` nor `forMs`: until it is taken away. */
export type FaultOrder<F extends Fault = Fault> = {
  /** '*': every service. */
  service: ServiceLabel | '*';
  /** Absent: every route of the service. */
  route?: string;
  fault: F;
  /** How many requests it hits. */
  count?: number;
  /** Real milliseconds from now on. With `count` too, whichever ends first. */
  forMs?: number;
};

export type ActiveFault = {
  id: number;
  service: string;
  route?: string;
  fault: RequestFault;
  remaining?: number;
  endsInMs?: number;
};

type Held = { id: number; order: FaultOrder<RequestFault>; remaining: number; untilMs: number };

export function isStreamFault(order: FaultOrder): order is FaultOrder<StreamFault> {
  return ['close-stream', 'reset-stream', 'silence', 'event'].includes(order.fault.kind);
}

export function isRequestFault(order: FaultOrder): order is FaultOrder<RequestFault> {
  return !isStreamFault(order);
}

/** The faults that wait for requests. Of several that match, the oldest is used first. */
export class FaultBoard {
  private held: Held[] = [];
  private lastId = 0;

  /** `realNow`: real milliseconds. */
  constructor(private readonly realNow: () => number) {}

  /** An id for a fault that was carried out at once. */
  nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }

  /** Holds a fault for the requests to come and returns its id. */
  add(order: FaultOrder<RequestFault>): number {
    const id = this.nextId();
    const untilMs = order.forMs === undefined ? Number.POSITIVE_INFINITY : this.realNow() + order.forMs;
    this.held.push({ id, order, remaining: order.count ?? Number.POSITIVE_INFINITY, untilMs });
    return id;
  }

  /** The fault for one request, if any; uses up one of its count. */
  take(service: ServiceLabel, route: string): RequestFault | undefined {
    this.forgetEnded();
    const hit = this.held.find(
      ({ order }) =>
        (order.service === '*' || order.service === service) &&
        (order.route === undefined || order.route === route),
    );
    if (hit) hit.remaining -= 1;
    return hit?.order.fault;
  }

  active(): ActiveFault[] {
    this.forgetEnded();
    return this.held.map(({ id, order, remaining, untilMs }) => ({
      id,
      service: order.service,
      ...(order.route === undefined ? {} : { route: order.route }),
      fault: order.fault,
      ...(Number.isFinite(remaining) ? { remaining } : {}),
      ...(Number.isFinite(untilMs) ? { endsInMs: Math.ceil(untilMs - this.realNow()) } : {}),
    }));
  }

  clear(): void {
    this.held = [];
  }

  private forgetEnded(): void {
    const now = this.realNow();
    this.held = this.held.filter(({ remaining, untilMs }) => remaining > 0 && untilMs > now);
  }
}

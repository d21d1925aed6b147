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

/** The ends of a stream: of those open now, and with a count or a time also of those to come. */
export type StreamEnd = { kind: 'close-stream' } | { kind: 'reset-stream' };

/** What can be made to happen to streams, at once. Only an end can hold for streams to come. */
export type StreamFault = StreamEnd | { kind: 'silence' } | { kind: 'event'; text: string };

/** What can wait for requests. */
export type HeldFault = RequestFault | StreamEnd;

export type Fault = RequestFault | StreamFault;

/** Which requests or streams a fault hits. */
export type Reach = {
  /** '*': every service. */
  service: ServiceLabel | '*';
  /** Absent: every route of the service. */
  route?: string;
  /** How many requests or streams it hits; of the streams that are open, the newest. */
  count?: number;
};

/** Where and how long a fault holds. Neither `count` nor `forMs`: a request fault holds until it is taken away. */
export type FaultOrder<F extends Fault> = Reach & {
  fault: F;
  /** Real milliseconds from now on. With `count` too, whichever ends first. */
  forMs?: number;
};

/** Any order, by what it acts on. */
export type AnyFaultOrder = FaultOrder<RequestFault> | FaultOrder<StreamFault>;

export type ActiveFault = {
  id: number;
  service: string;
  route?: string;
  fault: HeldFault;
  remaining?: number;
  endsInMs?: number;
};

type Held = { id: number; order: FaultOrder<HeldFault>; remaining: number; untilMs: number };

export function isStreamFault(order: AnyFaultOrder): order is FaultOrder<StreamFault> {
  return ['close-stream', 'reset-stream', 'silence', 'event'].includes(order.fault.kind);
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
  add(order: FaultOrder<HeldFault>): number {
    const id = this.nextId();
    const untilMs = order.forMs === undefined ? Number.POSITIVE_INFINITY : this.realNow() + order.forMs;
    this.held.push({ id, order, remaining: order.count ?? Number.POSITIVE_INFINITY, untilMs });
    return id;
  }

  /** The fault for one request, if any; uses up one of its count. */
  take(service: ServiceLabel, route: string): HeldFault | undefined {
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

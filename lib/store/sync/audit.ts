import 'server-only';
import {
  COUNTED_STATES,
  type CountedState,
  type Counts,
  countsIn,
  type Discrepancy,
  goneSpan,
  hasMicroseconds,
  type Interval,
  momentAtRowOffset,
  momentOfShare,
  readDiscrepancies,
  writeDiscrepancies,
} from '@/lib/store/queries/sync';
import { BEGINNING_US } from '@/lib/store/schema';
import type { SyncParts } from './keeper-loss';
import { floorToMs, readAgain } from './page-walk';

/** Rows below this age may still change. */
const SETTLED_US = 180_000_000;
/** Largest span, in rows, that is read again as a whole. */
const READ_AGAIN_ROWS = 1000;
/** Each audit compares one part, by the most important counts. */
const SPAN_PARTS = 8;
const PARTS_COUNTED: readonly CountedState[] = ['all', 'failed'];
/** Audits between two reads of a known difference. */
const AUDITS_PER_RECHECK = 4;
/** Where a sample differs, `AROUND_ROWS` rows are read again on each side, at most `MAX_AROUND` times. */
const SAMPLE_ROWS = 25;
const AROUND_ROWS = 900;
const MAX_AROUND = 5;
/** The second sample is of the newest rows, because a restarted service rewrites those. */
const NEWEST_SHARE = 0.02;
/** Spans of rows marked as gone that one audit reads again. */
const MAX_GONE_SPANS = 5;

/** A difference in two audits is bisected until its span can be read again. If it remains, it is stored. */
export class Audit {
  #suspects: ReadonlySet<CountedState> = new Set();
  #discrepancies: Discrepancy[] = [];
  #hadNoUnreadable = false;
  #audits = 0;
  /** Rows marked as gone are examined from here down; undefined to begin with the newest. */
  #goneBeforeUs: number | undefined;
  #isServedAgain = false;
  /** The last count of the service, and the start of its span. */
  #last = { fromUs: BEGINNING_US, theirs: 0 };

  constructor(
    private readonly parts: SyncParts,
    private readonly isHistoryRead: () => boolean,
  ) {}

  /** @returns whether the next audit must examine a difference */
  async run(): Promise<boolean> {
    const { rows } = this.parts;
    const { engine } = rows.store;
    if (this.#audits === 0) this.#discrepancies = await readDiscrepancies(engine, rows.keeper.keeperId);
    this.#audits += 1;
    const beganMs = rows.store.now();
    const whole = this.#span();
    if (whole === undefined) return false;
    const lastReadMs = rows.store.reads.readUpToMs(rows.keeper.name) ?? rows.store.now();
    const total = await this.#countServed('all', whole);
    const span = await this.#countable(whole, total);
    const theirs = await this.#countServedByState(span, span === whole ? total : undefined);
    // A span with the same start only grows, so a falling count is a loss and is examined at once.
    const hasFallen = span.fromUs <= this.#last.fromUs && (theirs.all ?? Infinity) < this.#last.theirs;
    if (theirs.all !== undefined) this.#last = { fromUs: span.fromUs, theirs: theirs.all };
    const ours = await this.#countIndexed(span);
    // New rows may hide that a count has fallen, so each count is compared with our rows.
    if (theirs.all !== undefined) {
      await this.parts.keeperLoss.onCountFell({ theirs: theirs.all, ours: ours.all, span, lastReadMs });
    }
    const isAlarmed = this.parts.keeperLoss.consumeAlarm() || hasFallen;
    const differing = COUNTED_STATES.filter(
      (counted) => this.#excess(counted, span, theirs[counted], ours) !== 0,
    );
    const confirmed = differing.filter((counted) => isAlarmed || this.#suspects.has(counted));
    const stepUs = (await hasMicroseconds(engine, rows.keeper.keeperId)) ? 1 : 1000;
    for (const counted of confirmed) await this.#search(counted, span, stepUs);
    if (differing.length === 0) await this.#comparePart(span, stepUs);
    await this.#compareContents(span);
    this.#suspects = new Set(differing.filter((counted) => !confirmed.includes(counted)));
    await this.#readKnownDifference();
    if (span !== whole) await this.#readGone(span.fromUs);
    await this.#dropUnreadable(theirs, ours);
    // A difference that appears for the first time may be temporary. The next audit decides.
    if (this.#suspects.size === 0) {
      await this.#report({ span, isCapped: span !== whole, beganMs }, theirs.all, confirmed.length > 0);
    }
    return this.#suspects.size > 0;
  }

  /** The newest span without gaps, up to the rows that may still change. */
  #span(): Interval | undefined {
    const [newest] = this.parts.rows.coverage;
    if (newest === undefined) return undefined;
    const fromUs = newest.fromUs <= BEGINNING_US ? BEGINNING_US : floorToMs(newest.fromUs + 999);
    const nowMs = this.parts.serviceNowMs();
    const toUs = floorToMs((nowMs === undefined ? newest.toUs : nowMs * 1000) - SETTLED_US);
    return toUs <= fromUs ? undefined : { fromUs, toUs };
  }

  /** If the service's totals are capped, it counts only the newest rows. */
  async #countable(whole: Interval, total: number | undefined): Promise<Interval> {
    const { status, rows } = this.parts;
    const { engine } = rows.store;
    const isCapped = total !== undefined && (await this.#isCapped(whole, total));
    const edgeUs = isCapped
      ? await momentAtRowOffset(engine, rows.keeper.keeperId, whole, 'before', total)
      : null;
    const counts = total?.toLocaleString('en');
    const note = `the service counts ${counts} requests at most; older ones are not compared`;
    status.note('capped', edgeUs === null ? undefined : note);
    return edgeUs === null ? whole : { fromUs: floorToMs(edgeUs) + 1000, toUs: whole.toUs };
  }

  /** Whether the service counts fewer rows in the whole span than in its two parts together. */
  async #isCapped(whole: Interval, total: number): Promise<boolean> {
    if (total === 0 || total >= (await this.#countIndexed(whole)).all) return false;
    const cut = await this.#cutOf('all', whole);
    if (cut === undefined) return false;
    const older = await this.#countServed('all', { fromUs: whole.fromUs, toUs: cut - 1000 });
    const newer = await this.#countServed('all', { fromUs: cut, toUs: whole.toUs });
    // A row that came or went during the test changes the total and invalidates the test.
    const recount = await this.#countServed('all', whole);
    return older !== undefined && newer !== undefined && recount === total && older + newer > total;
  }

  /** A state is left out if the service refuses or ignores the parameter. */
  async #countServedByState(span: Interval, all?: number): Promise<Partial<Counts>> {
    const counts: Partial<Counts> = { all: all ?? (await this.#countServed('all', span)) };
    for (const counted of COUNTED_STATES) {
      if (counted !== 'all') counts[counted] = await this.#countServed(counted, span);
    }
    return this.#withoutIgnored(counts);
  }

  #withoutIgnored(counts: Partial<Counts>): Partial<Counts> {
    const { all, ...states } = counts;
    const isIgnored = all !== undefined && all > 0 && Object.values(states).every((count) => count === all);
    return isIgnored ? { all } : counts;
  }

  async #countServed(counted: CountedState, { fromUs, toUs }: Interval): Promise<number | undefined> {
    const answer = await this.parts.calls.requestUnlessRefused('audit', {
      fromUs: fromUs <= BEGINNING_US ? undefined : fromUs,
      toUs,
      state: counted === 'all' ? undefined : counted,
      limit: 1,
    });
    return answer?.total;
  }

  #countIndexed(span: Interval): Promise<Counts> {
    const { rows } = this.parts;
    return countsIn(rows.store.engine, rows.keeper.keeperId, span);
  }

  /** The service's count minus ours and minus known differences; 0 if unreadable rows can explain the rest. */
  #excess(counted: CountedState, span: Interval, theirs: number | undefined, ours: Counts): number {
    if (theirs === undefined) return 0;
    const explained = this.#known(counted, span).reduce(
      (sum, discrepancy) => sum + discrepancy.theirs - discrepancy.ours,
      0,
    );
    const excess = theirs - ours[counted] - explained;
    return excess > 0 && excess <= this.parts.rows.counts.unreadable ? 0 : excess;
  }

  #known(counted: CountedState, { fromUs, toUs }: Interval): Discrepancy[] {
    return this.#discrepancies.filter(
      (discrepancy) =>
        discrepancy.state === counted && discrepancy.fromUs >= fromUs && discrepancy.toUs <= toUs,
    );
  }

  /** Newest spans come first. @param stepUs smallest difference of two creation times */
  async #search(counted: CountedState, span: Interval, stepUs: number): Promise<void> {
    // Another search may have corrected the difference already.
    const recount = await this.#countServed(counted, span);
    const waiting = recount === undefined ? [] : [{ span, theirs: recount }];
    for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
      const ours = await this.#countIndexed(place.span);
      if (this.#excess(counted, place.span, place.theirs, ours) === 0) continue;
      const isEmptied = place.theirs === 0 && ours[counted] > 0;
      if (isEmptied && counted === 'all' && (await this.#markGoneIfEmpty(place.span))) continue;
      const cut = ours.all > READ_AGAIN_ROWS ? await this.#cutOf(counted, place.span) : undefined;
      if (cut === undefined) {
        await this.#readAgain(counted, place.span);
        continue;
      }
      const older = { fromUs: place.span.fromUs, toUs: cut - stepUs };
      const theirsOlder = await this.#countServed(counted, older);
      if (theirsOlder === undefined) continue;
      waiting.push({ span: older, theirs: theirsOlder });
      waiting.push({ span: { fromUs: cut, toUs: place.span.toUs }, theirs: place.theirs - theirsOlder });
    }
  }

  /** Start of the newer part of a span, outside of known differences. */
  async #cutOf(counted: CountedState, span: Interval, share = 0.5): Promise<number | undefined> {
    const { rows } = this.parts;
    const moment = await momentOfShare(rows.store.engine, rows.keeper.keeperId, span, share);
    if (moment === null) return undefined;
    const within = this.#known(counted, span).find(({ fromUs, toUs }) => fromUs < moment && moment <= toUs);
    const cuts = within === undefined ? [moment, moment + 1000] : [within.fromUs, within.toUs + 1000];
    return cuts.map(floorToMs).find((cut) => cut > span.fromUs && cut <= span.toUs);
  }

  /** The part is a different one each time, because differences may cancel out over the whole. */
  async #comparePart(whole: Interval, stepUs: number): Promise<void> {
    const part = Math.floor(this.#audits / PARTS_COUNTED.length) % SPAN_PARTS;
    const counted = PARTS_COUNTED[this.#audits % PARTS_COUNTED.length] ?? 'all';
    const from = part === 0 ? whole.fromUs : await this.#cutOf(counted, whole, part / SPAN_PARTS);
    const next =
      part === SPAN_PARTS - 1 ? undefined : await this.#cutOf(counted, whole, (part + 1) / SPAN_PARTS);
    const span = { fromUs: from ?? whole.fromUs, toUs: next === undefined ? whole.toUs : next - stepUs };
    if (span.fromUs >= span.toUs) return;
    const theirs = await this.#countServed(counted, span);
    if (this.#excess(counted, span, theirs, await this.#countIndexed(span)) !== 0) {
      await this.#search(counted, span, stepUs);
    }
  }

  /** Rows are gone only if a second count confirms that the service has none of them. */
  async #markGoneIfEmpty(span: Interval): Promise<boolean> {
    if ((await this.#countServed('all', span)) !== 0) return false;
    await this.parts.rows.markGone({ span });
    return true;
  }

  /** Samples are compared too, because rewritten rows do not change any count. */
  async #compareContents(span: Interval): Promise<void> {
    const { calls, rows, random } = this.parts;
    for (const share of [random(), 1 - random() * NEWEST_SHARE]) {
      const moment = await momentOfShare(rows.store.engine, rows.keeper.keeperId, span, share);
      if (moment === null) return;
      const toUs = floorToMs(moment + 999);
      const listing = { toUs: Math.min(toUs, span.toUs), limit: SAMPLE_ROWS };
      const answer = await calls.request('audit', listing);
      const { changed } = await rows.put(answer.rows, 'new');
      if (changed === 0) continue;
      // The read extends to the newest row, so that a row just too young for the span is included.
      await this.#readAround('after', { fromUs: moment, toUs: rows.nowUs() });
      await this.#readAround('before', { fromUs: span.fromUs, toUs: moment });
    }
  }

  /** Reading goes on as long as some rows have changed. */
  async #readAround(side: 'after' | 'before', span: Interval): Promise<void> {
    const { calls, rows } = this.parts;
    let left = span;
    for (let times = 0; times < MAX_AROUND; times += 1) {
      const edge = await momentAtRowOffset(rows.store.engine, rows.keeper.keeperId, left, side, AROUND_ROWS);
      if (edge === null) return;
      const part = side === 'after' ? { fromUs: left.fromUs, toUs: edge } : { fromUs: edge, toUs: left.toUs };
      const answer = await calls.request('audit', {
        fromUs: floorToMs(part.fromUs),
        toUs: floorToMs(part.toUs + 999),
      });
      if ((await rows.put(answer.rows, 'new')).changed === 0) return;
      left = side === 'after' ? { ...left, fromUs: edge } : { ...left, toUs: edge };
    }
  }

  /** A difference that remains is stored: the service counts rows that it does not deliver. */
  async #readAgain(counted: CountedState, span: Interval): Promise<void> {
    const { rows } = this.parts;
    const knownDifference = this.#known(counted, span);
    if (!(await readAgain(this.parts, 'audit', span))) return;
    const theirs = await this.#countServed(counted, span);
    const ours = (await this.#countIndexed(span))[counted];
    // Totals may be capped: then the count is no difference, and the next audit compares fewer rows.
    if (theirs === undefined || (theirs < ours && (await this.#isCapped(span, theirs)))) return;
    const isExplained = theirs - ours >= 0 && theirs - ours <= rows.counts.unreadable;
    const differences = isExplained
      ? []
      : [{ fromUs: span.fromUs, toUs: span.toUs, state: counted, theirs, ours }];
    this.#discrepancies = [
      ...this.#discrepancies.filter((discrepancy) => !knownDifference.includes(discrepancy)),
      ...differences,
    ];
    await rows.store.write(async (session) => {
      await writeDiscrepancies(session, rows.keeper.keeperId, this.#discrepancies, rows.nowUs());
      return { result: undefined, isChange: false };
    });
  }

  /** The rows of a known difference may be delivered one day. */
  async #readKnownDifference(): Promise<void> {
    if (this.#audits % AUDITS_PER_RECHECK !== 0) return;
    const next =
      this.#discrepancies[(this.#audits / AUDITS_PER_RECHECK) % Math.max(1, this.#discrepancies.length)];
    if (next !== undefined) await this.#readAgain(next.state, next);
  }

  /**
   * Rows that a capped count leaves out may be served again after they were marked, as from a backup, which no count
   * shows. A few rows of a span decide whether the whole span is read.
   */
  async #readGone(beforeUs: number): Promise<void> {
    if (!this.#isServedAgain && this.#audits % AUDITS_PER_RECHECK !== 0) return;
    const { calls, rows } = this.parts;
    const { keeperId } = rows.keeper;
    for (let times = 0; times < MAX_GONE_SPANS; times += 1) {
      const fromHereUs = Math.min(beforeUs, this.#goneBeforeUs ?? beforeUs);
      const gone = await goneSpan(rows.store.engine, keeperId, fromHereUs, READ_AGAIN_ROWS);
      this.#goneBeforeUs = gone?.fromUs;
      this.#isServedAgain = false;
      if (gone === null) return;
      const listing = { toUs: floorToMs(gone.toUs + 999), limit: SAMPLE_ROWS };
      const { rows: listed } = await calls.request('audit', listing);
      if ((await rows.put(listed, 'new')).changed === 0) return;
      this.#isServedAgain = true;
      await readAgain(this.parts, 'audit', { fromUs: floorToMs(gone.fromUs), toUs: listing.toUs });
    }
  }

  /** Unreadable rows are gone if the counts agree without them twice. */
  async #dropUnreadable(theirs: Partial<Counts>, ours: Counts): Promise<void> {
    const { rows } = this.parts;
    const hasNone =
      rows.counts.unreadable > 0 && COUNTED_STATES.every((state) => theirs[state] === ours[state]);
    if (hasNone && this.#hadNoUnreadable) await rows.markGone('unreadable');
    this.#hadNoUnreadable = hasNone;
  }

  async #report(
    { span, isCapped, beganMs }: { span: Interval; isCapped: boolean; beganMs: number },
    counted: number | undefined,
    wasMended: boolean,
  ): Promise<void> {
    const { rows, status } = this.parts;
    await rows.count();
    const theirs = wasMended ? await this.#countServed('all', span) : counted;
    if (theirs === undefined) return;
    const delivered = (await this.#countIndexed(span)).all;
    const excess = theirs - delivered;
    // The service counts and delivers unreadable rows, so they explain this difference.
    const ours = excess > 0 && excess <= rows.counts.unreadable ? theirs : delivered;
    // While the history is read again, the index may lack the rows that it marked as gone.
    if (ours === theirs && this.isHistoryRead()) {
      await this.parts.keeperLoss.onCountServed(isCapped ? undefined : theirs, beganMs);
    }
    status.update({ audit: { atMs: rows.store.now(), ours, theirs, agrees: ours === theirs } });
    const isConstant = this.#known('all', span).length > 0 && theirs > ours;
    const note = `the service counts ${theirs.toLocaleString('en')}, delivers ${ours.toLocaleString('en')}`;
    status.note('undelivered', isConstant ? note : undefined);
  }
}

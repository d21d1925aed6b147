import type { FeedMark } from '@/lib/contract/codec/feed-marks';
import type { CompactFeed, FeedConnection, FeedSnapshot } from '@/lib/contract/codec/feed-stream';

/** Marks are told for half an hour; so many are more than any half hour has had. The oldest go. */
const MOST_MARKS = 500;

/** Whether an update may stand for its feed after `last`: a price never goes back. */
export function isNewer(update: CompactFeed, last: CompactFeed | undefined): boolean {
  return last === undefined || update.t > last.t || (update.t === last.t && update.r >= last.r);
}

/** What a stream has told so far: enough to give a page that opens a snapshot at once. */
export class FeedPicture {
  readonly latest = new Map<string, CompactFeed>();
  readonly missing = new Set<string>();
  readonly marks = new Map<string, FeedMark>();
  /** Undefined before the first snapshot. */
  connection: FeedConnection | undefined;
  /** Which run of our server told it; undefined where that was not said. */
  #run: string | undefined;

  take(update: CompactFeed): void {
    if (isNewer(update, this.latest.get(update.id))) this.latest.set(update.id, update);
    this.missing.delete(update.id);
  }

  /** A snapshot tells about these feeds only; what is known of others stays. */
  takeSnapshot(snapshot: FeedSnapshot, ids: Iterable<string>, run?: string): void {
    this.#run = run ?? this.#run;
    for (const id of ids) this.missing.delete(id);
    for (const update of snapshot.feeds) this.take(update);
    for (const id of snapshot.missing) this.missing.add(id);
    this.connection = snapshot.connection;
    this.mark(snapshot.marks ?? []);
  }

  mark(marks: readonly FeedMark[]): void {
    for (const mark of marks) {
      this.marks.delete(mark.key);
      this.marks.set(mark.key, mark);
    }
    for (const key of [...this.marks.keys()].slice(0, -MOST_MARKS)) this.marks.delete(key);
  }

  /** What is known of these feeds; undefined before the stream has said anything. */
  snapshotOf(ids: readonly string[]): FeedSnapshot | undefined {
    const { connection } = this;
    return (
      connection && {
        feeds: ids.flatMap((id) => this.latest.get(id) ?? []),
        missing: ids.filter((id) => this.missing.has(id)),
        connection,
        marks: marksFor([...this.marks.values()], new Set(ids)),
        ...(this.#run === undefined ? {} : { run: this.#run }),
      }
    );
  }

  /** Forgets every feed but these. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of [...this.latest.keys()]) if (!ids.has(id)) this.latest.delete(id);
    for (const id of [...this.missing]) if (!ids.has(id)) this.missing.delete(id);
  }
}

/** The marks that concern any of these feeds; a mark that names none concerns all. */
export function marksFor(marks: readonly FeedMark[], ids: ReadonlySet<string>): FeedMark[] {
  return marks.filter((mark) => mark.ids === undefined || mark.ids.some((id) => ids.has(id)));
}

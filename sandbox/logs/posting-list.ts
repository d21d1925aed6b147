/** Row numbers in rising order, with gaps: the rows that share a property. */
export class PostingList {
  private numbers: Int32Array<ArrayBuffer>;
  private count = 0;

  /** `capacity`: for how many rows there is room at first. */
  constructor(capacity = 16) {
    this.numbers = new Int32Array(capacity);
  }

  get length(): number {
    return this.count;
  }

  /** The row number at a place from 0 to `length` - 1. */
  at(place: number): number {
    return this.numbers[place] ?? -1;
  }

  /** Adds a row number; cheap at the end, and the cheaper the nearer to it. Twice the same is added once. */
  insert(row: number): void {
    const place = this.placeOf(row);
    if (this.count > place && this.at(place) === row) return;
    if (this.count === this.numbers.length) {
      const larger = new Int32Array(this.count * 2);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers.copyWithin(place + 1, place, this.count);
    this.numbers[place] = row;
    this.count += 1;
  }

  remove(row: number): void {
    const place = this.placeOf(row);
    if (place >= this.count || this.at(place) !== row) return;
    this.numbers.copyWithin(place, place + 1, this.count);
    this.count -= 1;
  }

  /** Removes all row numbers from `row` on. */
  cut(row: number): void {
    this.count = this.placeOf(row);
  }

  /** The first place whose row number is `row` or larger; `length` when there is none. */
  placeOf(row: number): number {
    if (this.count === 0 || row > this.at(this.count - 1)) return this.count;
    return firstPlace(this.count, (place) => this.at(place) >= row);
  }
}

/** The first place below `count` at which `holds` is true; once true it must stay so. `count`: nowhere. */
export function firstPlace(count: number, holds: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

import type { Sink } from './sink-gate';

/** A reader for tests: keeps what it gets, and reads nothing more once it is told to stall. */
export class ListSink implements Sink {
  readonly chunks: string[] = [];
  state: 'open' | 'ended' | 'destroyed' = 'open';
  #full = false;
  #drained: (() => void) | undefined;

  /** Everything so far as one text. */
  get text(): string {
    return this.chunks.join('');
  }

  write(bytes: Uint8Array): boolean {
    this.chunks.push(new TextDecoder().decode(bytes));
    return !this.#full;
  }

  onDrain(run: () => void): void {
    this.#drained = run;
  }

  /** From the next write on its buffer is full. */
  stall(): void {
    this.#full = true;
  }

  /** It reads again. */
  drain(): void {
    this.#full = false;
    this.#drained?.();
  }

  end(): void {
    this.state = 'ended';
  }

  destroy(): void {
    this.state = 'destroyed';
  }

  /** Takes out what came since the last call, as events in short form: name, data. Comments are left out. */
  take(): { name: string; id: string | undefined; data: string }[] {
    const blocks = this.chunks.splice(0).join('').split('\n\n');
    return blocks.flatMap((block) => {
      const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
      if (lines.length === 0) return [];
      const field = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      return [{ name: field('event')[0] ?? 'message', id: field('id')[0], data: field('data').join('\n') }];
    });
  }
}

import type { EventSourceLike } from './reconnecting-source';

export class ScriptedSource implements EventSourceLike {
  readyState = 0;
  readonly #listeners = new Map<string, ((event: { data?: unknown }) => void)[]>();

  constructor(
    readonly url: string,
    private readonly textOf: (value: unknown) => string = JSON.stringify,
  ) {}

  addEventListener(type: string, listener: (event: { data?: unknown }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  close(): void {
    this.readyState = 2;
  }

  open(): void {
    this.readyState = 1;
    this.emit('open', {});
  }

  send(name: string, value: unknown): void {
    this.emit(name, { data: this.textOf(value) });
  }

  /** @param readyState 0: the browser will try again; 2: it gave up because the answer was no stream */
  fail(readyState: 0 | 2): void {
    this.readyState = readyState;
    this.emit('error', {});
  }

  emit(type: string, event: { data?: unknown }): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}

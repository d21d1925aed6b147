import type { ExportFormat } from '@/lib/requests/export-url';
import type { ExportProgress, ExportResult } from './export-download';

/** The one export of this page: what it is about, how far it is, how it ended. */
export type ExportState =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly format: ExportFormat; readonly progress: ExportProgress | undefined }
  | { readonly kind: 'ended'; readonly format: ExportFormat; readonly result: ExportResult };

/** Does the work; hears by the signal that it is cancelled. */
export type RunExport = (
  onProgress: (progress: ExportProgress) => void,
  signal: AbortSignal,
) => Promise<ExportResult>;

const NONE: ExportState = { kind: 'none' };

/** It outlives its dialog: a long export goes on while the table is read. */
export class ExportJob {
  #state: ExportState = NONE;
  #stop: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same object until something changes. */
  readonly current = (): ExportState => this.#state;

  /** Does nothing while another one is under way. */
  async start(format: ExportFormat, run: RunExport): Promise<void> {
    if (this.#state.kind === 'running') return;
    const stop = new AbortController();
    this.#stop = stop;
    this.#set({ kind: 'running', format, progress: undefined });
    const result = await run((progress) => {
      if (this.#stop === stop) this.#set({ kind: 'running', format, progress });
    }, stop.signal);
    this.#stop = undefined;
    this.#set(result.kind === 'cancelled' ? NONE : { kind: 'ended', format, result });
  }

  cancel(): void {
    this.#stop?.abort();
  }

  /** Takes note of the end. */
  clear(): void {
    if (this.#state.kind === 'ended') this.#set(NONE);
  }

  #set(state: ExportState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The one of this window. */
export const exportJob = new ExportJob();

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

type Line = { word: string; value: string };

/** Runs store-process-fixture.ts. */
export class StoreProcess {
  readonly child: ChildProcess;
  readonly unread: Line[] = [];
  #stderr = '';
  #notify: () => void = () => undefined;

  /** @param wrapper a command that runs its argument, such as one that sets limits */
  constructor(dataDir: string, { retryMs = 30_000, wrapper = [] as string[] } = {}) {
    const script = ['--conditions=react-server', '--import=tsx', 'lib/store/store-process-fixture.ts'];
    const [command = '', ...args] = [...wrapper, process.execPath, ...script, dataDir, String(retryMs)];
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let rest = '';
    this.child.stderr?.on('data', (chunk) => (this.#stderr += chunk));
    this.child.stdout?.on('data', (chunk) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const [word = '', ...words] = line.split(' ');
        this.unread.push({ word, value: words.join(' ') });
      }
      this.#notify();
    });
    this.child.once('exit', () => this.#notify());
  }

  order(word: 'write' | 'read' | 'count' | 'stop' | 'close'): void {
    this.child.stdin?.write(`${word}\n`);
  }

  async waitForLine(word: string, fits: (value: string) => boolean = () => true): Promise<string> {
    for (;;) {
      for (let unread = this.unread.shift(); unread !== undefined; unread = this.unread.shift()) {
        if (unread.word === word && fits(unread.value)) return unread.value;
      }
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`It ended before it said “${word}”: ${this.#stderr}`);
      }
      await new Promise<void>((resolve) => {
        this.#notify = resolve;
      });
    }
  }

  last(word: string): string | undefined {
    return this.unread.findLast((unread) => unread.word === word)?.value;
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

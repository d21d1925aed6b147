import { expect, it } from 'vitest';
import { LineOutput } from './log';

type Done = (error: NodeJS.ErrnoException | null, bytes: number) => void;

const full = Object.assign(new Error('full'), { code: 'EAGAIN' });
const gone = Object.assign(new Error('gone'), { code: 'EPIPE' });

/** An output whose reader is moved by hand. */
function outputBy(now: { takes: (text: string) => number } = { takes: (text) => text.length }) {
  const clock = { ms: 0 };
  const writes: { text: string; done: Done }[] = [];
  const due: (() => void)[] = [];
  const atTheEnd: string[] = [];
  const ends: string[] = [];
  const output = new LineOutput({
    write: (text, done) => writes.push({ text, done }),
    writeNow: (text) => {
      const taken = now.takes(text);
      atTheEnd.push(text.slice(0, taken));
      return taken;
    },
    after: (_, run) => due.push(run),
    now: () => clock.ms,
    sleep: (ms) => (clock.ms += ms),
    giveUp: () => ends.push('given up'),
  });
  const later = () => {
    for (const run of due.splice(0)) run();
  };
  return { output, clock, writes, later, atTheEnd, ends };
}

it('collects lines for a moment and writes them at once', () => {
  const { output, writes, later } = outputBy();
  output.write('one\n');
  output.write('two\n');
  expect(writes).toEqual([]);
  later();
  expect(writes.map(({ text }) => text)).toEqual(['one\ntwo\n']);
});

it('does not wait when there is much', () => {
  const { output, writes, later } = outputBy();
  output.write(`${'x'.repeat(20_000)}\n`);
  expect(writes).toHaveLength(1);
  output.write('meanwhile\n');
  later();
  expect(writes).toHaveLength(1);
  writes[0]?.done(null, 20_001);
  expect(writes[1]?.text).toBe('meanwhile\n');
});

it('goes on where a reader stopped in the middle, and tries again while it is full', () => {
  const { output, writes, later } = outputBy();
  output.write('a line\n');
  later();
  writes[0]?.done(null, 2);
  expect(writes[1]?.text).toBe('line\n');
  writes[1]?.done(full, 0);
  expect(writes).toHaveLength(2);
  later();
  expect(writes[2]?.text).toBe('line\n');
});

it('drops what is more than four megabytes, and goes on once there is room', () => {
  const { output, writes } = outputBy();
  const line = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let count = 0; count < 6; count++) output.write(line);
  writes[0]?.done(null, line.length);
  expect(writes[1]?.text.length).toBe(3 * line.length);
  output.write(line);
  writes[1]?.done(null, 3 * line.length);
  expect(writes[2]?.text).toBe(line);
});

it('says no more to a reader that is gone', () => {
  const { output, writes, later, atTheEnd } = outputBy();
  output.write('a line\n');
  later();
  writes[0]?.done(gone, 0);
  output.write('another\n');
  later();
  output.end();
  expect([writes.length, atTheEnd]).toEqual([1, []]);
});

it('writes the last lines at the end', () => {
  const { output, atTheEnd, ends } = outputBy();
  output.write('the last\n');
  output.end();
  expect([atTheEnd.join(''), ends]).toEqual(['the last\n', []]);
});

it('leaves no line out at the end while it was to be tried again, and repeats none that is being written', () => {
  for (const error of [full, null]) {
    const { output, writes, later, atTheEnd } = outputBy();
    output.write('one\n');
    later();
    if (error) writes[0]?.done(error, 0);
    output.write('two\n');
    output.end();
    expect(atTheEnd.join('')).toBe(error ? 'one\ntwo\n' : 'two\n');
  }
});

it('waits a second for a full reader at the end, and not at all for one that is gone', () => {
  const trouble = { error: full };
  const { output, clock } = outputBy({
    takes: () => {
      throw trouble.error;
    },
  });
  output.write('the last\n');
  output.end();
  expect(clock.ms).toBe(1000);
  trouble.error = gone;
  output.end();
  expect(clock.ms).toBe(1000);
});

it('gives up at the end what nobody has taken for two seconds', () => {
  const { output, clock, later, ends } = outputBy();
  output.write('a line\n');
  later();
  clock.ms = 2000;
  output.end();
  expect(ends).toEqual([]);
  clock.ms = 2001;
  output.end();
  expect(ends).toEqual(['given up']);
});

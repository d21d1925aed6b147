import { expect, it } from 'vitest';
import { writeHead } from './chart-picture';

/** A pen that notes what it writes, and with which colour and dash it strokes. */
function notingPen() {
  const notes: string[] = [];
  let dash: number[] = [];
  const pen = {
    fillStyle: '',
    strokeStyle: '',
    lineWidth: 1,
    font: '',
    fillText: (text: string) => notes.push(text),
    measureText: (text: string) => ({ width: text.length * 8 }) as TextMetrics,
    setLineDash: (next: Iterable<number>) => {
      dash = [...next];
    },
    beginPath: () => {},
    moveTo: () => {},
    lineTo: () => {},
    stroke: () => notes.push(`${pen.strokeStyle} ${dash.join(' ')}`.trim()),
  };
  return { pen, notes };
}
const look = { family: 'serif', colorOf: (token: string) => token };

it('tells in the picture which line is which feed', () => {
  const { pen, notes } = notingPen();
  const lines = [
    { name: 'BTC', tone: 0 },
    { name: 'SOL', tone: 2 },
  ];
  writeHead(pen, { lines, detail: 'today' }, look);
  expect(notes).toEqual(['--ks-series-0', 'BTC', '--ks-series-2 2 3', 'SOL', 'today']);
});

it('needs no sample of a line that is alone', () => {
  const { pen, notes } = notingPen();
  writeHead(pen, { lines: [{ name: 'BTC', tone: 0 }], detail: 'today' }, look);
  expect(notes).toEqual(['BTC', 'today']);
});

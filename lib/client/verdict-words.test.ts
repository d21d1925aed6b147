import { describe, expect, it } from 'vitest';
import { figureText } from './verdict-words';

const moment = (ms: number) => `at ${ms}`;

describe('a figure for people', () => {
  it('is written by its unit', () => {
    const text = (value: number | string, unit: Parameters<typeof figureText>[0]['unit']) =>
      figureText({ label: '', value, unit }, moment);
    expect(text(302_000, 'ms')).toBe('5 min 02 s');
    expect(text(5, 'moment')).toBe('at 5');
    expect(text(41, 'rows')).toBe('41');
    expect(text('700000000', 'gas')).toBe('700,000,000');
    expect(text('98.5', 'percent')).toBe('98.5 %');
  });

  it('shows what strangers wrote clipped, with what can’t be seen spelled out', () => {
    expect(figureText({ label: '', value: '0x\u202Eab', unit: 'hex' }, moment)).toBe('0x⟨202E⟩ab');
    expect(figureText({ label: '', value: 'a'.repeat(5_000), unit: 'text' }, moment).length).toBe(301);
  });
});

import { expect, test } from 'vitest';
import networks from '@/data/networks.json';
import { networkColour } from './network-colour';

const parts = (colour: string) => colour.match(/\d+/g)?.map(Number) ?? [];

test('no two built-in main networks have colours that are hard to distinguish', () => {
  const colours = networks
    .filter(({ testnet }) => !testnet)
    .map(({ network_id }) => networkColour(network_id));
  const pairs = colours.flatMap((colour, index) =>
    colours.slice(index + 1).map((other) => [colour, other] as const),
  );
  const isClose = (a: string, b: string) => {
    const [hue = 0, , light = 0] = parts(a);
    const [otherHue = 0, , otherLight = 0] = parts(b);
    const turn = Math.abs(hue - otherHue);
    return Math.min(turn, 360 - turn) < 15 && Math.abs(light - otherLight) < 12;
  };
  expect(pairs.filter(([colour, other]) => isClose(colour, other))).toEqual([]);
});

test('no network has the hue of a state', () => {
  const hues = Array.from({ length: 500 }, (_, id) => parts(networkColour(String(id)))[0] ?? 0);
  expect(hues.filter((hue) => hue < 165 || hue > 330)).toEqual([]);
});

test('an unknown network has a colour too, always the same', () => {
  expect(networkColour('999999999999')).toMatch(/^hsl\(\d+ 62% (34|46|58|70)%\)$/);
  expect(networkColour('999999999999')).toBe(networkColour('999999999999'));
});

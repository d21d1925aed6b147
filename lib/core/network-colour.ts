/** Hues 15 degrees apart in three lightnesses: 72 colours that can be told apart beside a name. */
const HUES = 24;
const LIGHTNESSES = [36, 48, 60];

// Found by search: no two built-in main networks get neighbouring colours.
const FACTOR = 271;
const START = 23;
const MODULUS = 99_991;

/** @param networkId decimal digits */
export function networkColour(networkId: string): string {
  let hash = START;
  for (const digit of networkId) hash = (hash * FACTOR + digit.charCodeAt(0)) % MODULUS;
  const slot = hash % (HUES * LIGHTNESSES.length);
  return `hsl(${(slot % HUES) * (360 / HUES)} 62% ${LIGHTNESSES[Math.floor(slot / HUES)]}%)`;
}

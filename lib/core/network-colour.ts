/**
 * Hues 15 degrees apart in four lightnesses, from teal to purple: 48 colours that can be told apart beside a name. All
 * warm hues and greens are left to states.
 */
const HUES = [165, 180, 195, 210, 225, 240, 255, 270, 285, 300, 315, 330];
const LIGHTNESSES = [34, 46, 58, 70];

// Found by search: no two built-in main networks get neighbouring colours.
const FACTOR = 6012;
const START = 351;
const MODULUS = 99_991;

/** @param networkId decimal digits */
export function networkColour(networkId: string): string {
  let hash = START;
  for (const digit of networkId) hash = (hash * FACTOR + digit.charCodeAt(0)) % MODULUS;
  const slot = hash % (HUES.length * LIGHTNESSES.length);
  const hue = HUES[slot % HUES.length];
  return `hsl(${hue} 62% ${LIGHTNESSES[Math.floor(slot / HUES.length)]}%)`;
}
